/** Bytes of a file with variables. */
export const environmentFileBytes = 256 * 1024;

const line = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=(.*)$/s;

/**
 * The variables of a file with lines `NAME=value`, as `NAME=value`. Values may be quoted; within double quotes `\n` is a line
 * break. Empty lines, comments and lines of another form are left out. Source: Talos v1.14: extension services, spec file.
 */
export function parseEnvironmentFile(text: string): string[] {
  return text.split(/\r\n|\r|\n/).flatMap((row) => {
    const [, name, value = ''] = line.exec(row) ?? [];
    return name === undefined || /^\s*#/.test(row) ? [] : [`${name}=${unquoted(value.trim())}`];
  });
}

function unquoted(text: string): string {
  const [, single] = /^'([^']*)'(?:\s*#.*)?$/.exec(text) ?? [];
  if (single !== undefined) return single;
  const [, double] = /^"((?:[^"\\]|\\.)*)"(?:\s*#.*)?$/.exec(text) ?? [];
  if (double !== undefined)
    return double.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  const comment = text.startsWith('#') ? 0 : text.search(/\s#/);
  return comment < 0 ? text : text.slice(0, comment).trimEnd();
}
