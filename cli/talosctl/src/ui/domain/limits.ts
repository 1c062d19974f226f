/** The limits of the server of the page. docs/other-limits.md lists them with the tests that attack them. */
export const limits = {
  /** How long the printed token opens the page. */
  tokenMs: 60_000,
  /** Connections that belong to no session. One more closes the oldest of them. */
  strangers: 32,
  /** Time to send the head of a request, and to send a whole request. */
  headMs: 5_000,
  requestMs: 10_000,
  headBytes: 8 * 1024,
  bodyBytes: 256 * 1024,
  /** Pages with a session; the one whose stream has been closed for longest gives way to a new one. */
  sessions: 8,
  /** Pages with an open stream. A browser opens six connections to a host at most, and requests need one. */
  streams: 5,
  /** Requests of a session within a second. */
  requestsPerSecond: 40,
  subscriptions: 512,
  /** Requests of a page that are not answered yet, and the time that nodes have for one. */
  calls: 8,
  callMs: 30_000,
  /** How long a node may try a configuration. */
  leastTrialSeconds: 5,
  mostTrialSeconds: 3600,
  /** Conversions of a node's configuration whose hidden values are known. One more forgets the oldest. */
  conversions: 4,
  /** What waits for a page that reads slowly. A stream with more is closed; the page then begins anew. */
  unreadBytes: 16 * 1024 * 1024,
  tickMs: 10_000,
  processes: 400,
  sockets: 2000,
  /** Nodes of a roll-out, steps of one, and nodes whose steps are followed. */
  rolloutNodes: 500,
  turnSteps: 16,
  turnsFollowed: 32,
  /** Of a text about a roll-out, in characters. */
  rolloutTextLength: 2048,
  /** Of each namespace of a node. */
  containers: 1000,
  staticPods: 100,
  /** Of the YAML text of a resource, in characters. */
  documentLength: 512 * 1024,
  /** Columns of a kind of resources, and the characters of one cell. */
  columns: 16,
  cellLength: 256,
  /** Of a line of a log, in characters. */
  lineLength: 16 * 1024,
} as const;

export type Limits = Readonly<Record<keyof typeof limits, number>>;
