/** The used parts of the OCI runtime specification (1.0.2), with its names. */
export interface RuntimeSpec {
  readonly ociVersion: string;
  readonly process: RuntimeProcess;
  readonly root: { readonly path: string; readonly readonly: boolean };
  readonly hostname?: string;
  readonly mounts: readonly RuntimeMount[];
  readonly linux: RuntimeLinux;
}

export interface RuntimeProcess {
  readonly terminal: boolean;
  readonly user: { readonly uid: number; readonly gid: number };
  readonly args: readonly string[];
  readonly env: readonly string[];
  readonly cwd: string;
  readonly capabilities: Readonly<Record<CapabilitySet, readonly string[]>>;
  readonly rlimits: readonly { readonly type: string; readonly hard: number; readonly soft: number }[];
  readonly noNewPrivileges: boolean;
  readonly oomScoreAdj?: number;
}

export type CapabilitySet = 'bounding' | 'effective' | 'permitted';

export interface RuntimeMount {
  readonly destination: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

export interface RuntimeLinux {
  readonly cgroupsPath: string;
  readonly namespaces: readonly { readonly type: string }[];
  readonly resources: RuntimeResources;
  readonly maskedPaths: readonly string[];
  readonly readonlyPaths: readonly string[];
  readonly seccomp?: RuntimeSeccomp;
  readonly rootfsPropagation?: string;
}

export interface RuntimeResources {
  readonly devices: readonly { readonly allow: boolean; readonly access: string }[];
  readonly memory?: { readonly limit: number };
  readonly pids?: { readonly limit: number };
}

export interface RuntimeSeccomp {
  readonly defaultAction: string;
  readonly architectures: readonly string[];
  readonly syscalls: readonly {
    readonly names: readonly string[];
    readonly action: string;
    readonly errnoRet: number;
  }[];
}
