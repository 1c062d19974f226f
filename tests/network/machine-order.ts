// What a test and the process of a machine tell each other.

export interface MachineInit {
  /** Of the kernel. */
  readonly commandLine: string;
  /** The folder that stands for `/`. */
  readonly root: string;
  /** Documents of the machine's configuration; empty: none. */
  readonly configuration: string;
}

/** What a test tells the machine: another configuration, if it says one. It answers each order. */
export interface MachineOrder {
  readonly configuration?: string;
}

/** What the machine publishes about its network. */
export interface MachineReport {
  /** Why the configuration was refused; empty when it was not. */
  readonly refusal: string;
  readonly hostname: string;
  readonly resolvers: readonly string[];
  readonly searchDomains: readonly string[];
  readonly timeServers: readonly string[];
  /** The texts of its files by their names, such as `resolv.conf`. */
  readonly files: Readonly<Record<string, string>>;
  /** The lines of its diagnostics. */
  readonly diagnostics: readonly string[];
}

/** Where the process answers each connection, like the API of a machine. */
export const servedPort = 50_000;
