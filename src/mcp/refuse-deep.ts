import { ProtocolErrorCode, type Transport } from '@modelcontextprotocol/server';
import { isNestedTooDeeply, tooDeep } from '../operate/parse-json.ts';

/** Has a transport answer messages nested too deeply itself: what checks them would run out of stack. */
export function refuseDeep<Guarded extends Transport>(transport: Guarded): Guarded {
  let receive: Transport['onmessage'];
  const guard: NonNullable<Transport['onmessage']> = (message, extra) => {
    if (!isNestedTooDeeply(message)) return receive?.(message, extra);
    if (!('id' in message) || message.id === undefined) return;
    const error = { code: ProtocolErrorCode.InvalidParams, message: tooDeep('The message').message };
    // Fails when the transport has closed: nobody is left to be told.
    transport.send({ jsonrpc: '2.0', id: message.id, error }).catch(() => {});
  };
  // Whoever serves the transport sets the property; the transport calls what it finds there.
  Object.defineProperty(transport, 'onmessage', {
    get: () => guard,
    set: (handler: Transport['onmessage']) => {
      receive = handler;
    },
  });
  return transport;
}
