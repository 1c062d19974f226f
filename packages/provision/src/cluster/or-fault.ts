import { faultFrom } from '@nodewright/fault';

/** Runs an action and converts every error, such as one of the file system or the network, into a Fault. */
export async function orFault<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw faultFrom(error);
  }
}
