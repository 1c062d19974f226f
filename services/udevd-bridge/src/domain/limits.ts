/** The limits of the daemon. Each one has a test that exceeds it. */
export const deviceLimits = {
  /** Events in the history. The oldest are dropped first. */
  historyEvents: 16_384,
  /** Bytes of the events in the history, with an estimate of what an event costs besides its properties. */
  historyBytes: 8 * 1024 * 1024,
  /** Bytes of one message of the kernel or of udevd. A longer one counts as lost. The kernel's have 2 KiB at most. */
  messageBytes: 64 * 1024,
  /** Bytes that the kernel queues for the daemon. Source: Talos v1.14: block.DevicesController. */
  receiveBufferBytes: 64 * 1024 * 1024,
  /** Messages that are read in one turn of the event loop. */
  messagesPerTurn: 256,
  /** Events in one response, and their bytes. */
  responseEvents: 256,
  responseBytes: 256 * 1024,
  /** Open calls of Events, of Inventory, and of those that wait for udevd. */
  subscribers: 16,
  inventories: 4,
  waitingCalls: 8,
  /** Devices in one page of the inventory, and in all pages. */
  pageDevices: 64,
  inventoryDevices: 65_536,
  subsystems: 64,
  subsystemLength: 64,
  /** Sources of events in a request: there are two. */
  sources: 2,
  triggerPaths: 256,
  pathLength: 1024,
  settleTimeoutMs: 120_000,
  moduleNameLength: 64,
  modaliasLength: 1024,
  /** Modules that one modalias may load. */
  modulesPerModalias: 8,
  /** Devices whose drivers wait to be loaded, and modaliases that are known. */
  waitingDrivers: 1024,
  knownModaliases: 4096,
  /** Bytes of one request. */
  requestBytes: 512 * 1024,
} as const;
