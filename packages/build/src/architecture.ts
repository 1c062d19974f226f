/** Architectures, as container images name them. */
export const architectures = ['amd64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

/** The architecture of this machine. */
export function nativeArchitecture(): Architecture {
  return process.arch === 'arm64' ? 'arm64' : 'amd64';
}

/** npm's name of an architecture. */
export function npmArchitecture(architecture: Architecture): string {
  return architecture === 'amd64' ? 'x64' : architecture;
}
