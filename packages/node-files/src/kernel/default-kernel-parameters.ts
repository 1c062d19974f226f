import type { WantedParameter } from './kernel-parameters.ts';

/** Parameters of every node. */
const always: Readonly<Record<string, string>> = {
  'net.ipv4.ip_forward': '1',
  'net.ipv4.icmp_ignore_bogus_error_responses': '1',
  'net.ipv4.icmp_echo_ignore_broadcasts': '1',
  'net.ipv4.conf.all.send_redirects': '0',
  'net.ipv4.conf.default.send_redirects': '0',
  'net.ipv4.ip_local_reserved_ports': '50000,50001',
  'net.ipv4.tcp_keepalive_time': '600',
  'net.ipv4.tcp_keepalive_intvl': '60',
  'kernel.panic': '10',
  'kernel.pid_max': '262144',
  'vm.overcommit_memory': '1',
  'fs.inotify.max_user_instances': '8192',
  'fs.aio-max-nr': '1048576',
};

/** If the kernel has IPv6. */
const ipv6: Readonly<Record<string, string>> = {
  'net.ipv6.conf.default.forwarding': '1',
  // 2 upstream. Here only links that something brings up take routers' advertisements, which any neighbour can send.
  'net.ipv6.conf.default.accept_ra': '0',
};

/** Parameters that a container cannot set, because they belong to the whole machine. */
const machineOnly: Readonly<Record<string, string>> = {
  'kernel.ctrl-alt-del': '0',
  // Keys and breaks of a serial console command nothing.
  'kernel.sysrq': '0',
  // Its calls bypass filters of system calls, and no program of a node makes them. A configuration may set another value.
  'kernel.io_uring_disabled': '2',
  // The kubelet does not start without. Upstream's kernel is built with this value.
  'kernel.panic_on_oops': '1',
  'kernel.kptr_restrict': '2',
  'kernel.dmesg_restrict': '1',
  'kernel.perf_event_paranoid': '3',
  'kernel.randomize_va_space': '2',
  'kernel.yama.ptrace_scope': '2',
  'user.max_user_namespaces': '0',
  'kernel.unprivileged_bpf_disabled': '1',
  'net.core.bpf_jit_harden': '2',
  'vm.unprivileged_userfaultfd': '0',
  'fs.protected_symlinks': '1',
  'fs.protected_hardlinks': '1',
  'fs.protected_fifos': '2',
  'fs.protected_regular': '2',
  'fs.suid_dumpable': '0',
  'dev.tty.ldisc_autoload': '0',
  'dev.tty.legacy_tiocsti': '0',
};

/**
 * How many bits of the address of a mapping are random: the most that the kernel allows with pages of 4 KiB, by the architecture as
 * Node.js names it. Source: Linux, Documentation/admin-guide/sysctl/vm.rst.
 */
const randomBits: ReadonlyMap<string, string> = new Map([
  ['x64', '32'],
  ['arm64', '33'],
]);

function randomMappings(architecture: string): Readonly<Record<string, string>> {
  const bits = randomBits.get(architecture);
  return bits === undefined ? {} : { 'vm.mmap_rnd_bits': bits };
}

/** Parameters that some kernels do not have. */
const optionalParameters: Readonly<Record<string, string>> = {
  'net.bridge.bridge-nf-call-iptables': '1',
  'net.bridge.bridge-nf-call-ip6tables': '1',
};

/** Above this the reserve that the kernel chooses is less than two percent. */
const smallMemoryKilobytes = 2 * 1_048_576;

/**
 * What the kernel keeps free on a machine with little memory. For huge pages it would keep 5 percent there, and as programs must
 * stay above a threshold over it, a tenth of the memory would be of no use. Source: Linux,
 * Documentation/admin-guide/sysctl/vm.rst.
 */
function memoryReserve(memoryKilobytes: number): Readonly<Record<string, string>> {
  if (memoryKilobytes >= smallMemoryKilobytes) return {};
  return { 'vm.min_free_kbytes': String(Math.round(memoryKilobytes / 50)) };
}

/**
 * The default parameters of a kind of node, by id. Source: Talos v1.14: default sysctls.
 *
 * @param about `memoryKilobytes`: all memory of the machine; `architecture`: as Node.js names it
 */
export function defaultKernelParameters(about: {
  readonly isContainer: boolean;
  readonly hasIpv6: boolean;
  readonly memoryKilobytes: number;
  readonly architecture: string;
}): { readonly id: string; readonly spec: WantedParameter }[] {
  const of = (values: Readonly<Record<string, string>>, ignoreErrors: boolean) =>
    Object.entries(values).map(([key, value]) => ({ id: `proc.sys.${key}`, spec: { value, ignoreErrors } }));
  return [
    ...of(always, false),
    ...(about.hasIpv6 ? of(ipv6, false) : []),
    ...(about.isContainer
      ? []
      : [
          ...of({ ...machineOnly, ...memoryReserve(about.memoryKilobytes) }, false),
          ...of(randomMappings(about.architecture), false),
          ...of(optionalParameters, true),
        ]),
  ];
}
