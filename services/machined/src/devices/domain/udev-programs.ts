/** The programs and files of udevd on a machine. Source: Talos v1.14: services, udevd. */
export const udevPaths = {
  daemon: '/usr/bin/systemd-udevd',
  control: '/usr/bin/udevadm',
  /** The rules of the configuration; udevd reads them after those of the image. */
  rules: '/etc/udev/rules.d/99-talos.rules',
} as const;

/** Names of users and groups in rules have no effect: every device belongs to root. */
export const udevdCommand: readonly string[] = [udevPaths.daemon, '--resolve-names=never'];

/** The environment of both programs. Messages go to the standard error, which is the log of the service. */
export const udevEnvironment: Readonly<Record<string, string>> = {
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  XDG_RUNTIME_DIR: '/run',
  SYSTEMD_LOG_TARGET: 'console',
  SYSTEMD_LOG_COLOR: '0',
};

const control = (...words: string[]): readonly string[] => [udevPaths.control, ...words];

/** Fails while udevd does not answer. */
export const pingCommand = control('control', '--ping');

/** Makes udevd read its rules again. */
export const reloadCommand = control('control', '--reload');

/**
 * Make the kernel announce once more every device that it knows. The rules of the image say nothing about terminals, of which
 * there are a hundred. Source: Talos v1.14: health checks, udevd.
 */
export const triggerCommands: readonly (readonly string[])[] = [
  control('trigger', '--type=devices', '--action=add', '--subsystem-nomatch=tty'),
  control('trigger', '--type=subsystems', '--action=add'),
];

/** Waits until udevd has processed all announcements. */
export const settleCommand = control('settle', '--timeout=50');

/** Longer than `settle` waits by itself. */
export const commandTimeoutMs = 55_000;
