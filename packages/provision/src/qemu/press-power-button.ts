import { connect } from 'node:net';
import { openUnixPath } from '@nodewright/files';

const timeoutMs = 5_000;

/**
 * Presses the power button of a machine. Resolves when the emulator has accepted the command; the machine may ignore
 * the button, as it does before machined runs. Source: QEMU, QMP: qmp_capabilities and system_powerdown.
 *
 * @param monitor path of the emulator's monitor socket
 */
export async function pressPowerButton(monitor: string): Promise<void> {
  using short = openUnixPath(monitor);
  const socket = connect(short.path).setEncoding('utf8');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let text = '';
  socket.setTimeout(timeoutMs, () => reject(new Error('the monitor of the emulator does not answer')));
  socket.once('error', reject);
  // The emulator closes the connection when it ends.
  socket.once('close', () => resolve());
  socket.on('data', (chunk: string) => {
    text += chunk;
    // Two replies: to the capabilities, and to the button. Events have no "return".
    if ((text.match(/"return"/g) ?? []).length >= 2) resolve();
  });
  socket.write('{"execute":"qmp_capabilities"}\n{"execute":"system_powerdown"}\n');
  try {
    await promise;
  } finally {
    socket.destroy();
  }
}
