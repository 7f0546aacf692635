/**
 * Finds where a text stops being JSON. `JSON.parse` says it in words that differ by engine version and quote
 * the text, which must not end up in logs; so a text that it refused is read once more here. Keeps its own
 * stack of brackets: depth costs memory, never the call stack.
 */
export interface JsonFault {
  /** Character, from 0; the length of the text when it ends too soon. */
  readonly offset: number;
  /** Continues the sentence "at character N": "expected a comma or a closing bracket". */
  readonly problem: string;
}

export function findJsonFault(text: string): JsonFault {
  const open: string[] = [];
  let expecting: "value" | "value or ]" | "key" | "key or }" | "colon" | "comma" = "value";
  let at = 0;
  for (;;) {
    at = skipSpace(text, at);
    if (at >= text.length) {
      return expecting === "comma" && open.length === 0
        ? { offset: at, problem: "nothing is wrong that could be named" }
        : { offset: at, problem: cutShort };
    }
    const char = text[at] as string;
    switch (expecting) {
      case "comma": {
        const bracket = open.at(-1);
        if (bracket === undefined) return { offset: at, problem: "there is text behind the JSON value" };
        if (char === bracket) {
          open.pop();
          at += 1;
          break;
        }
        if (char !== ",") return { offset: at, problem: `a comma or ${bracket} must stand here` };
        expecting = bracket === "}" ? "key" : "value";
        at += 1;
        break;
      }
      case "colon":
        if (char !== ":") return { offset: at, problem: "a colon must stand here" };
        expecting = "value";
        at += 1;
        break;
      case "key":
      case "key or }": {
        if (char === "}" && expecting === "key or }") {
          open.pop();
          expecting = "comma";
          at += 1;
          break;
        }
        if (char !== '"') return { offset: at, problem: "a key in double quotes must stand here" };
        const string = readString(text, at);
        if (string.fault !== null) return string.fault;
        at = string.end;
        expecting = "colon";
        break;
      }
      default: {
        if (char === "{" || char === "[") {
          open.push(char === "{" ? "}" : "]");
          expecting = char === "{" ? "key or }" : "value or ]";
          at += 1;
          break;
        }
        if (char === "]" && expecting === "value or ]") {
          open.pop();
          expecting = "comma";
          at += 1;
          break;
        }
        const scalar = char === '"' ? readString(text, at) : readWord(text, at);
        if (scalar.fault !== null) return scalar.fault;
        at = scalar.end;
        expecting = "comma";
      }
    }
  }
}

interface Scalar {
  readonly end: number;
  readonly fault: JsonFault | null;
}

function readString(text: string, start: number): Scalar {
  let at = start + 1;
  for (;;) {
    const stop = nextSpecial(text, at);
    if (stop === -1) return faulty(text.length, cutInString);
    const char = text[stop];
    if (char === '"') return { end: stop + 1, fault: null };
    if (char !== "\\") return faulty(stop, "a control character must be escaped in a string");
    const sequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
    sequence.lastIndex = stop;
    if (!sequence.test(text)) {
      return /^\\(?:u[0-9a-fA-F]{0,3})?$/.test(text.slice(stop, stop + 7))
        ? faulty(text.length, cutInString)
        : faulty(stop, "this escape does not exist in JSON");
    }
    at = sequence.lastIndex;
  }
}

const cutShort = "the text ends too soon: it is cut short";
const cutInString = "the text ends inside a string: it is cut short";
const faulty = (offset: number, problem: string): Scalar => ({ end: 0, fault: { offset, problem } });

/** The next quote, backslash or control character. */
function nextSpecial(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x5c || code < 0x20) return at;
  }
  return -1;
}

function readWord(text: string, start: number): Scalar {
  const word = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  word.lastIndex = start;
  if (word.test(text)) {
    const end = word.lastIndex;
    const cutNumber = text.length - end <= 2 && /^(?:\.|[eE][+-]?)$/.test(text.slice(end));
    return cutNumber ? faulty(text.length, cutShort) : { end, fault: null };
  }
  const rest = text.slice(start, start + 6);
  const cut =
    start + rest.length === text.length &&
    ["true", "false", "null", "-"].some((full) => full.startsWith(rest));
  return cut ? faulty(text.length, cutShort) : faulty(start, "a JSON value must stand here");
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && " \t\n\r".includes(text[at] as string)) at += 1;
  return at;
}
