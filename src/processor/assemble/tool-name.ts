/** Whether two names mean one tool: servers and plug-ins put their own name in front of it. */

const prefixes = [/^mcp__.+?__/, /^[^.\-/]+[.\-/]/];

/** `unknown` on either side is no answer, so it is no match. `throughServer`: a server may be told by `server_`. */
export function sameTool(a: string | null, b: string | null, throughServer: boolean): boolean {
  if (a === null || b === null) return false;
  const first = a.toLowerCase();
  const second = b.toLowerCase();
  if (first === second) return true;
  if (bare(first) === bare(second)) return true;
  return throughServer && (first.endsWith(`_${second}`) || second.endsWith(`_${first}`));
}

function bare(name: string): string {
  const mcp = name.replace(prefixes[0] ?? "", "");
  return mcp === name ? name.replace(prefixes[1] ?? "", "") : mcp;
}
