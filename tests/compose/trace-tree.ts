interface Span {
  readonly spanID: string;
  readonly processID: string;
  readonly operationName: string;
  readonly references: readonly { readonly refType: string; readonly spanID: string }[];
}
/** A trace in the format of Jaeger's query API. */
export interface Trace {
  readonly spans: readonly Span[];
  readonly processes: Readonly<Record<string, Process>>;
}

interface Process {
  readonly serviceName: string;
  readonly tags?: readonly { readonly key: string; readonly value: unknown }[];
}

/** `apid of node01`, or only the name of a program that belongs to no node. */
function programOf({ serviceName = '', tags = [] }: Partial<Process> = {}): string {
  const node = tags.find(({ key }) => key === 'host.name')?.value;
  return node === undefined ? serviceName : `${serviceName} of ${node}`;
}

/** Prints a trace as indented lines `program of node: name`, parents first, siblings by name. */
export function treeOf({ spans, processes }: Trace): string[] {
  const parentOf = ({ references }: Span) => references.find(({ refType }) => refType === 'CHILD_OF')?.spanID;
  const known = new Set(spans.map(({ spanID }) => spanID));
  const below = (parent: string | undefined, indent: string): string[] =>
    spans
      .filter((span) => {
        const own = parentOf(span);
        return parent === undefined ? own === undefined || !known.has(own) : own === parent;
      })
      .map((span) => ({ span, line: `${programOf(processes[span.processID])}: ${span.operationName}` }))
      .sort((a, b) => (a.line < b.line ? -1 : 1))
      .flatMap(({ span, line }) => [indent + line, ...below(span.spanID, `${indent}  `)]);
  return below(undefined, '');
}
