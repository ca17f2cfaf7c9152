import {
  connect,
  constants,
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { TestCertificate } from './certificate';

export interface TemporalFront {
  /** host:port. */
  address: string;
  close(): Promise<void>;
}

interface FrontOptions {
  /** host:port of the real server behind it. */
  server: string;
  certificate: TestCertificate;
  /** PEM of the authority whose client certificates are demanded. Absent: none is. */
  clientAuthority?: string;
  /** Demanded of each call. */
  apiKey?: string;
}

const { HTTP2_HEADER_AUTHORITY, HTTP2_HEADER_SCHEME, HTTP2_HEADER_STATUS, NGHTTP2_FLAG_END_STREAM } =
  constants;
/** gRPC's UNAUTHENTICATED. */
const UNAUTHENTICATED = '16';

/** Puts TLS, client certificates and API keys in front of a real Temporal server, as its production has them. */
export async function temporalFront(options: FrontOptions): Promise<TemporalFront> {
  const { server: behind, certificate, clientAuthority, apiKey } = options;
  const upstream = connect(`http://${behind}`);
  const demands = clientAuthority ? { ca: clientAuthority, requestCert: true, rejectUnauthorized: true } : {};
  const server = createSecureServer({ ...certificate, ...demands });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
  });
  server.on('sessionError', () => undefined);
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (apiKey !== undefined && headers.authorization !== `Bearer ${apiKey}`) refuse(stream);
    else forward(stream, headers);
  });

  function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const call = upstream.request({
      ...headers,
      [HTTP2_HEADER_SCHEME]: 'http',
      [HTTP2_HEADER_AUTHORITY]: behind,
    });
    let trailers: IncomingHttpHeaders = {};
    call.on('error', () => stream.close(constants.NGHTTP2_CANCEL));
    call.on('trailers', (told) => {
      trailers = told;
    });
    call.on('response', (told, flags) => {
      if (stream.destroyed) return;
      if (flags & NGHTTP2_FLAG_END_STREAM) return stream.respond(told, { endStream: true });
      stream.respond(told, { waitForTrailers: true });
      call.pipe(stream);
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.on('close', () => call.close(constants.NGHTTP2_CANCEL));
    stream.pipe(call);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      upstream.destroy();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refuse(stream: ServerHttp2Stream): void {
  const head = { [HTTP2_HEADER_STATUS]: 200, 'content-type': 'application/grpc' };
  const trailer = { 'grpc-status': UNAUTHENTICATED, 'grpc-message': 'the key is wrong' };
  stream.respond({ ...head, ...trailer }, { endStream: true });
}
