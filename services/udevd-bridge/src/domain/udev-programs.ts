/** Names of users and groups in rules have no effect: every device belongs to root. Source: Talos v1.14: services, udevd. */
export const udevdArguments: readonly string[] = ['--resolve-names=never'];

/** The environment of both programs. Messages go to the standard error. */
export const udevEnvironment: Readonly<Record<string, string>> = {
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  XDG_RUNTIME_DIR: '/run',
  SYSTEMD_LOG_TARGET: 'console',
  SYSTEMD_LOG_COLOR: '0',
};

/** Arguments of `udevadm`. */
export const udevCommands = {
  /** Fails while udevd does not answer. */
  ping: ['control', '--ping'],
  /** Makes udevd read its rules again. */
  reload: ['control', '--reload'],
  /** Makes udevd end. */
  exit: ['control', '--exit'],
  /** Waits until udevd has processed all announcements. */
  settle: (timeoutMs: number) => ['settle', `--timeout=${Math.max(Math.ceil(timeoutMs / 1000), 1)}`],
} as const satisfies Record<string, readonly string[] | ((timeoutMs: number) => readonly string[])>;

/** `add` or `change`. */
export type TriggerAction = string;

/**
 * Make the kernel announce devices once more: those with these paths below `/sys`, or every device and subsystem that it knows.
 * The rules of the image say nothing about terminals, of which there are a hundred. Source: Talos v1.14: health checks, udevd.
 */
export function triggerCommands(
  action: TriggerAction,
  paths: readonly string[],
): readonly (readonly string[])[] {
  if (paths.length > 0) return [['trigger', `--action=${action}`, ...paths.map((path) => `/sys${path}`)]];
  return [
    ['trigger', '--type=devices', `--action=${action}`, '--subsystem-nomatch=tty'],
    ['trigger', '--type=subsystems', `--action=${action}`],
  ];
}

/** How long the first look at all devices may take in one attempt. Source: Talos v1.14: health checks, udevd. */
export const checkTimeoutMs = 55_000;
export const settleMs = 50_000;
