import type { RuntimeSeccomp } from './runtime-spec.ts';

/**
 * System calls that reach beyond a container, by the capability that permits them; nothing permits those
 * below `''`. Most of them would fail without the capability anyway. The filter also makes the kernel code
 * behind them unreachable.
 */
const guardedCalls: Readonly<Record<string, readonly string[]>> = {
  '': [
    'add_key',
    'request_key',
    'keyctl',
    'kexec_load',
    'kexec_file_load',
    'userfaultfd',
    'nfsservctl',
    'lookup_dcookie',
  ],
  CAP_SYS_ADMIN: [
    'mount',
    'umount2',
    'move_mount',
    'open_tree',
    'fsopen',
    'fsconfig',
    'fsmount',
    'fspick',
    'mount_setattr',
    'pivot_root',
    'setns',
    'unshare',
    'sethostname',
    'setdomainname',
    'quotactl',
    'quotactl_fd',
    'swapon',
    'swapoff',
    'bpf',
    'perf_event_open',
    'fanotify_init',
  ],
  CAP_SYS_BOOT: ['reboot'],
  CAP_SYS_MODULE: ['init_module', 'finit_module', 'delete_module'],
  CAP_SYS_TIME: [
    'settimeofday',
    'clock_settime',
    'clock_settime64',
    'clock_adjtime',
    'clock_adjtime64',
    'adjtimex',
    'stime',
  ],
  CAP_SYS_RAWIO: ['iopl', 'ioperm'],
  CAP_SYS_PACCT: ['acct'],
  CAP_DAC_READ_SEARCH: ['open_by_handle_at'],
  CAP_SYSLOG: ['syslog'],
  CAP_SYS_TTY_CONFIG: ['vhangup'],
};

const notPermitted = 1;
const architectures = ['X86_64', 'X86', 'X32', 'AARCH64', 'ARM'].map((name) => `SCMP_ARCH_${name}`);

/** The seccomp filter of a container with these capabilities. Source: OCI runtime specification, seccomp. */
export function systemCallFilter(capabilities: readonly string[]): RuntimeSeccomp {
  const refused = Object.entries(guardedCalls)
    .filter(([capability]) => !capabilities.includes(capability))
    .flatMap(([, names]) => names);
  return {
    defaultAction: 'SCMP_ACT_ALLOW',
    // A program of an unlisted architecture would be killed at its first call.
    architectures,
    syscalls: [{ names: refused, action: 'SCMP_ACT_ERRNO', errnoRet: notPermitted }],
  };
}
