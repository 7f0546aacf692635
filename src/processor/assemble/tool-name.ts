/** Whether two names mean one tool: servers and plug-ins put their own name in front of it. */

const separators = ["__", "-", ".", "/"] as const;

/**
 * Equal, or one is the other behind a prefix: `mcp__crm__get_plan`, `Crm-get_plan` and `Crm.get_plan` are
 * `get_plan`; `get-plan` and `set-plan` are two tools. A name that is not known is no match.
 * `throughServer`: a server may also be told by `crm_`.
 */
export function sameTool(a: string | null, b: string | null, throughServer: boolean): boolean {
  if (a === null || b === null) return false;
  const first = a.toLowerCase();
  const second = b.toLowerCase();
  return (
    first === second || isPrefixed(first, second, throughServer) || isPrefixed(second, first, throughServer)
  );
}

function isPrefixed(whole: string, name: string, throughServer: boolean): boolean {
  if (name === "" || !whole.endsWith(name)) return false;
  const before = whole.slice(0, whole.length - name.length);
  return (
    separators.some((separator) => before.endsWith(separator)) || (throughServer && before.endsWith("_"))
  );
}
