// What the objects of a cluster say about its nodes and its DNS. Source: Kubernetes: conditions of nodes.

/** The answer of an API server to a GET; the body is parsed from JSON. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

interface StatusObject {
  readonly metadata?: { readonly name?: string };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Why the nodes of a cluster are not all Ready; `undefined` when they are. @param answer with the list of nodes */
export function nodesProblem(names: readonly string[], { status, body }: ApiAnswer): string | undefined {
  if (status !== 200) return `the list of nodes answers ${status}`;
  const { items = [] } = body as { readonly items?: readonly StatusObject[] };
  const problems = names.flatMap((name) => {
    const node = items.find(({ metadata }) => metadata?.name === name);
    if (node === undefined) return [`${name} is not registered`];
    const ready = conditionOf(node, 'Ready');
    return ready?.status === 'True' ? [] : [`${name}: ${ready?.message ?? 'it has no condition Ready'}`];
  });
  return problems.length === 0 ? undefined : problems.join('; ');
}

/** Why the DNS of a cluster does not answer; `undefined` when it does. @param answer with the deployment of CoreDNS */
export function dnsProblem({ status, body }: ApiAnswer): string | undefined {
  if (status !== 200) return `the deployment of CoreDNS answers ${status}`;
  const available = conditionOf(body as StatusObject, 'Available');
  return available?.status === 'True' ? undefined : (available?.message ?? 'CoreDNS has not started');
}

const conditionOf = ({ status }: StatusObject, wanted: string) =>
  status?.conditions?.find(({ type }) => type === wanted);
