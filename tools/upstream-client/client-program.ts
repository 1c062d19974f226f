import type { GoProgram } from '@nodewright/build/go';

/** The release that the wrapper module requires; a test compares it with go.mod. */
export const clientVersion = 'v1.13.9';

const versionVariable = 'github.com/siderolabs/talos/pkg/machinery/version.Tag';

/** The released client. Its wrapper calls the client's own main function. */
export const clientProgram = {
  name: 'talosctl',
  version: clientVersion,
  files: ['go.mod', 'go.sum', 'main.go'],
  flags: [
    // The tags leave out parts of its dependencies that the commands do not need.
    ...['-trimpath', '-tags', 'tcell_minimal,grpcnotrace'],
    ...['-ldflags', `-s -w -X ${versionVariable}=${clientVersion}`],
  ],
  package: '.',
  leastGoMinor: 26,
} as const satisfies GoProgram;
