const memoryFlags = ['--max-semi-space-size=2'];

/**
 * Flags of V8 that the daemons run with on a machine. Their compiled code is for these flags alone: `rootfs/init/init.c` gives
 * machined its flags, and machined the others theirs, on every kind of node.
 */
export const daemonV8Flags: Readonly<
  Record<'machined' | 'apid' | 'trustd' | 'registryd' | 'udevd-bridge', readonly string[]>
> = {
  machined: [
    ...memoryFlags,
    // Code of the start is not worth optimising. machined lowers the limits when it is calm.
    '--invocation-count-for-maglev=100000',
    '--invocation-count-for-turbofan=300000',
    '--invocation-count-for-feedback-allocation=64',
  ],
  apid: memoryFlags,
  trustd: memoryFlags,
  registryd: memoryFlags,
  'udevd-bridge': memoryFlags,
};
