import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { type AddressPolicy, isAllowedAddress, type Resolve } from './allowed-addresses';

/** The address is not allowed. Nothing was sent. */
class AddressRefused extends Error {
  override name = 'AddressRefused';
  readonly code = 'ADDRESS_REFUSED';
}

export interface ConnectorOptions extends AddressPolicy {
  resolve: Resolve;
  /** Further trusted certificates, for tests. */
  ca?: string;
  timeoutMs: number;
}

/**
 * Connects for undici to allowed addresses only, with TLS 1.2 at least. The address is checked when it is dialled,
 * because a name may resolve to another address than at registration.
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { ca, timeoutMs: timeout } = options;
  const connectors = new Map(
    ['http:', 'https:'].map((protocol) => [
      protocol,
      buildConnector({
        timeout,
        minVersion: 'TLSv1.2',
        ...(ca ? { ca } : {}),
        lookup: guardedLookup(options, protocol),
      }),
    ]),
  );
  return (target, callback) => {
    const allowed = (address = '') => isAllowedAddress(address, target.protocol, options);
    const connect = connectors.get(target.protocol);
    // A literal address is dialled without a lookup.
    if (!connect || (isIP(target.hostname) !== 0 && !allowed(target.hostname))) {
      queueMicrotask(() => callback(new AddressRefused('the address is not allowed'), null));
      return;
    }
    connect(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (allowed(socket.remoteAddress)) return callback(null, socket);
      socket.destroy();
      callback(new AddressRefused('the address is not allowed'), null);
    });
  };
}

function guardedLookup(options: ConnectorOptions, protocol: string): LookupFunction {
  return (hostname, { all }, callback) => {
    options.resolve(hostname).then(
      (addresses) => {
        const allowed = addresses
          .filter((address) => isAllowedAddress(address, protocol, options))
          .map((address) => ({ address, family: isIP(address) }));
        const [first] = allowed;
        if (!first) callback(new AddressRefused('no allowed address'), '');
        else if (all) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}
