import { z } from 'zod';
import { addressAsGiven, oneOf, port, text } from './schemas';

/** Variables of the environment about Temporal and what its UI shows. */
export const TEMPORAL_VARIABLES = {
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s:/]+:\d+$/, 'must be host:port')
    .optional(),
  TEMPORAL_NAMESPACE: text.default('default'),
  TEMPORAL_UI_URL: addressAsGiven('https://temporal.example.com').optional(),
  TEMPORAL_UI_PORT: port.optional(),
  /** Encrypts what Temporal stores. Off by default in the sandbox, so that Temporal's UI is readable. Always on in live. */
  TEMPORAL_ENCRYPTION: oneOf('on', 'off').optional(),
  /** Default: on where a certificate, a server's name or an API key is given. */
  TEMPORAL_TLS: oneOf('on', 'off').optional(),
  TEMPORAL_TLS_CA_FILE: text.optional(),
  TEMPORAL_TLS_CERT_FILE: text.optional(),
  TEMPORAL_TLS_KEY_FILE: text.optional(),
  TEMPORAL_TLS_SERVER_NAME: text.optional(),
  TEMPORAL_API_KEY: text.optional(),
};
