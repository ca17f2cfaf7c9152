import { Problem } from '../../../src/kernel/errors';
import type { Resolve } from '../../../src/kernel/security/allowed-addresses';
import { checkUrl } from '../../../src/kernel/wire/reached-url';

const LIVE = { allowLoopback: false };
const SANDBOX = { allowLoopback: true };

describe('a URL at its registration', () => {
  const names: Record<string, string[]> = {
    'good.example': ['8.8.8.8'],
    'inside.example': ['10.1.2.3'],
    'both.example': ['8.8.8.8', '127.0.0.1'],
    localhost: ['127.0.0.1', '::1'],
  };
  const resolve: Resolve = (name) => {
    const found = names[name];
    return found
      ? Promise.resolve(found)
      : Promise.reject(Object.assign(new Error(name), { code: 'ENOTFOUND' }));
  };
  const refusal = (url: string, policy = LIVE) =>
    checkUrl(url, policy, resolve).then(
      () => undefined,
      (error: Problem) => [error.status, error.field],
    );

  it.each([
    'nonsense',
    '//good.example/',
    'http://good.example/',
    'ftp://good.example/',
    'javascript:alert(1)',
    'https://user:secret@good.example/',
    'https://user@good.example/',
    'https://inside.example/',
    'https://both.example/',
    'https://localhost/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00:ec2::254]/',
  ])('%s is refused', async (url) => {
    expect(await refusal(url)).toEqual([400, 'url']);
  });

  it.each([
    'https://good.example/',
    'https://good.example:8443/a?b=c',
    'https://8.8.8.8/',
    'https://later.example/',
  ])('%s is accepted', async (url) => {
    expect(await refusal(url)).toBeUndefined();
  });

  it('may lead to this machine in the sandbox, and to no other private address', async () => {
    for (const url of ['http://localhost:9/', 'https://127.0.0.1:9/', 'http://[::1]:9/'])
      expect(await refusal(url, SANDBOX)).toBeUndefined();
    for (const url of [
      'http://good.example/',
      'https://inside.example/',
      'https://10.0.0.1/',
      'http://10.0.0.1/',
      'http://later.example/', // a name that does not resolve is not this machine
    ])
      expect(await refusal(url, SANDBOX)).toEqual([400, 'url']);
  });
});
