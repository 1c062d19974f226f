import { Fault } from '@nodewright/fault';

/** Why an extension is refused: something in it that extensions must not have. */
export const refused = (reason: string) => new Fault('invalid-argument', reason);

/** Content that is not what its digest or its form says. */
export const damaged = (reason: string) => new Fault('data-loss', reason);
