import type { KernelModuleStatusSpec, LoadedKernelModuleSpec } from '@nodewright/state/kinds';

/** A loaded module, as the kernel lists it. */
export interface LoadedModule {
  readonly name: string;
  readonly sizeBytes: number;
  readonly referenceCount: number;
  /** The modules that depend on it. */
  readonly dependencies: readonly string[];
  /** `Live`, `Loading`, `Unloading`. */
  readonly state: string;
  /** Zeros for users without permission. */
  readonly address: string;
}

/** Parses `/proc/modules`. Lines in another format are left out. */
export function parseModules(text: string): LoadedModule[] {
  return text.split('\n').flatMap((line) => {
    const [name, size, count, dependencies, state, address] = line.split(' ');
    if (name === undefined || state === undefined || !/^\d+$/.test(size ?? '')) return [];
    return {
      name,
      sizeBytes: Number(size),
      // A kernel that cannot unload modules has no count.
      referenceCount: Number.parseInt(count ?? '', 10) || 0,
      dependencies: (dependencies ?? '').split(',').filter((each) => /^[^[-]/.test(each)),
      state,
      address: address ?? '',
    };
  });
}

export function loadedModuleSpec(module: LoadedModule): LoadedKernelModuleSpec {
  const { sizeBytes, referenceCount, dependencies, state, address } = module;
  return { size: sizeBytes, referenceCount, dependencies: [...dependencies], state, address };
}

const states: Readonly<Record<string, KernelModuleStatusSpec['state']>> = {
  Live: 'live',
  Loading: 'loading',
  Unloading: 'unloading',
};

/** Every module of the kernel, by name: loaded and built-in ones. */
export function moduleStatuses(
  loaded: readonly LoadedModule[],
  builtin: readonly string[],
): { readonly id: string; readonly spec: KernelModuleStatusSpec }[] {
  const none = { size: 0, referenceCount: 0, dependencies: [], address: '' } as const;
  const statuses = new Map<string, KernelModuleStatusSpec>(
    builtin.map((name) => [name, { ...none, type: 'built-in', state: 'built-in' }]),
  );
  for (const module of loaded) {
    const state = states[module.state] ?? 'live';
    statuses.set(module.name, { ...loadedModuleSpec(module), type: 'dynamic', state });
  }
  return [...statuses].map(([id, spec]) => ({ id, spec }));
}
