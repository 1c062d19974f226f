/**
 * Kinds of nodes: processes of a host, containers of an engine with one for each daemon, one container for the whole
 * node, and a machine. A kind counts as acting on a setting when any of its nodes does, such as those with Kubernetes.
 */
export const nodeKinds = ['process', 'stack', 'container', 'machine'] as const;

export type NodeKind = (typeof nodeKinds)[number];
