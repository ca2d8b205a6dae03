// The TypeScript client 2.x, in both eras of the protocol.

import { Client, StreamableHTTPClientTransport as Transport, UnauthorizedError } from '@modelcontextprotocol/client';
import { connectAndUse } from './provider.mjs';

const inEra = options => place => connectAndUse(place, { Client, Transport, UnauthorizedError, options });

export default { legacy: inEra(), modern: inEra({ versionNegotiation: { mode: 'auto' } }) };
