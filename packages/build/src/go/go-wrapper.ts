/** A module that pins programs of others: what its go.mod asks for, without what these need in turn. */
export interface GoWrapper {
  readonly modules: readonly GoRequirement[];
}

export interface GoRequirement {
  readonly module: string;
  readonly version: string;
  /** The programs of the module that are tools of the wrapper. */
  readonly tools: readonly string[];
}

/** Reads what a go.mod requires itself. Source: Go, modules. */
export function readGoWrapper(text: string): GoWrapper {
  const lines = directives(text);
  const tools = lines.flatMap(([name, path = '']) => (name === 'tool' ? [path] : []));
  // Modules of Kubernetes require each other as v0.0.0 and say elsewhere which version that is.
  const replaced = new Map(
    lines.flatMap(([name, module = '', arrow, target, version]) =>
      name === 'replace' && arrow === '=>' && target === module && version
        ? [[module, version] as const]
        : [],
    ),
  );
  const required = lines.flatMap(([name, module = '', version = '', ...rest]) =>
    name === 'require'
      ? [
          {
            ...{ module, version: replaced.get(module) ?? version },
            isIndirect: rest.join(' ').includes('indirect'),
          },
        ]
      : [],
  );
  // A tool belongs to the module with the longest path.
  const moduleOf = (tool: string) =>
    required
      .map(({ module }) => module)
      .filter((module) => tool === module || tool.startsWith(`${module}/`))
      .toSorted((a, b) => b.length - a.length)[0];
  return {
    modules: required
      .map(({ module, version, isIndirect }) => ({
        ...{ module, version, isIndirect },
        tools: tools.filter((tool) => moduleOf(tool) === module),
      }))
      .filter((one) => !one.isIndirect || one.tools.length > 0)
      .map(({ module, version, tools: own }) => ({ module, version, tools: own })),
  };
}

/** The words of each directive; one in a block begins with the name of the block. */
function directives(text: string): readonly string[][] {
  const found: string[][] = [];
  let block: string | undefined;
  for (const line of text.split('\n')) {
    const words = line.trim().split(/\s+/);
    if (words[0] === '' || words[0] === '//') continue;
    if (words[0] === ')') block = undefined;
    else if (words[1] === '(') block = words[0];
    else found.push(block === undefined ? words : [block, ...words]);
  }
  return found;
}
