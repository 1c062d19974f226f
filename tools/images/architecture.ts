/** Architectures in the words of container images. */
export const architectures = ['amd64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

/** The architecture of the machine that runs this. */
export function nativeArchitecture(): Architecture {
  return process.arch === 'arm64' ? 'arm64' : 'amd64';
}

/** npm's word for an architecture. */
export function npmArchitecture(architecture: Architecture): string {
  return architecture === 'amd64' ? 'x64' : architecture;
}
