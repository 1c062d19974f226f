import { faultFrom } from '@nodewright/fault';

/** What the file system, the network and other programs throw gets a kind. */
export async function orFault<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw faultFrom(error);
  }
}
