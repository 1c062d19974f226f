import { Fault } from '@nodewright/fault';

/** The one entry in the reply of a call to one node. @throws Fault `internal` when the reply is empty */
export function onlyMessage<M>({ messages }: { readonly messages: readonly M[] }): M {
  const [message] = messages;
  if (message === undefined) throw new Fault('internal', 'the reply has no message in it');
  return message;
}
