/** Names by number. Source: capabilities(7). */
const names = [
  ...['CHOWN', 'DAC_OVERRIDE', 'DAC_READ_SEARCH', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID', 'SETPCAP'],
  ...[
    'LINUX_IMMUTABLE',
    'NET_BIND_SERVICE',
    'NET_BROADCAST',
    'NET_ADMIN',
    'NET_RAW',
    'IPC_LOCK',
    'IPC_OWNER',
  ],
  ...[
    'SYS_MODULE',
    'SYS_RAWIO',
    'SYS_CHROOT',
    'SYS_PTRACE',
    'SYS_PACCT',
    'SYS_ADMIN',
    'SYS_BOOT',
    'SYS_NICE',
  ],
  ...[
    'SYS_RESOURCE',
    'SYS_TIME',
    'SYS_TTY_CONFIG',
    'MKNOD',
    'LEASE',
    'AUDIT_WRITE',
    'AUDIT_CONTROL',
    'SETFCAP',
  ],
  ...['MAC_OVERRIDE', 'MAC_ADMIN', 'SYSLOG', 'WAKE_ALARM', 'BLOCK_SUSPEND', 'AUDIT_READ', 'PERFMON', 'BPF'],
  'CHECKPOINT_RESTORE',
];
/** The node itself loads modules and ends the machine. Source: Talos v1.14: services. */
const kept = new Set(['SYS_MODULE', 'SYS_BOOT']);

/**
 * The capabilities that a process may give to the kubelet and to extension services: those of its bounding set, except those that
 * only the node uses.
 *
 * @param status text of `/proc/<pid>/status`
 */
export function grantableCapabilities(status: string): string[] {
  const mask = BigInt(`0x${/^CapBnd:\s*([0-9a-f]{1,16})$/m.exec(status)?.[1] ?? '0'}`);
  return names
    .filter((name, number) => !kept.has(name) && (mask >> BigInt(number)) & 1n)
    .map((name) => `CAP_${name}`);
}
