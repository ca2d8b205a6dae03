// The TypeScript SDK 1.x.

import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { connectAndUse } from './provider.mjs';

export default { legacy: place => connectAndUse(place, { Client, Transport, UnauthorizedError }) };
