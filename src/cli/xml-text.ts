/**
 * Text for XML 1.0. What XML cannot hold at all, not even escaped (control characters, lone surrogates,
 * U+FFFE and U+FFFF), becomes U+FFFD: names and reasons come from traffic, and one such character would make
 * the whole document unreadable.
 */

export type XmlAttributes = Readonly<Record<string, string | number | null>>;

const notXml = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** Between tags. A carriage return is escaped, since readers turn it into a newline. */
export function xmlText(text: string): string {
  return text.replace(notXml, "\u{FFFD}").replace(/[&<>\r]/g, (char) => entities[char] ?? char);
}

/** Inside double quotes. Line ends and tabs are escaped, since readers turn them into spaces. */
export function xmlAttribute(text: string): string {
  return text.replace(notXml, "\u{FFFD}").replace(/[&<>"\t\n\r]/g, (char) => entities[char] ?? char);
}

/** An element with text, or with lines of elements; attributes that are null are left out. */
export function xmlElement(
  name: string,
  attributes: XmlAttributes,
  content: string | readonly string[] = [],
): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === null ? [] : [` ${key}="${xmlAttribute(String(value))}"`],
  );
  const open = `<${name}${written.join("")}`;
  if (typeof content === "string") return `${open}>${xmlText(content)}</${name}>`;
  if (content.length === 0) return `${open}/>`;
  return [`${open}>`, ...content, `</${name}>`].join("\n");
}

export function xmlDocument(root: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}
