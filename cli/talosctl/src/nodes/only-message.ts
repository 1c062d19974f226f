import { Fault } from '@nodewright/fault';

/** The only entry in the response to a call to one node. @throws Fault `internal` when the response is empty */
export function onlyMessage<M>({ messages }: { readonly messages: readonly M[] }): M {
  const [message] = messages;
  if (message === undefined) throw new Fault('internal', 'the response contains no message');
  return message;
}
