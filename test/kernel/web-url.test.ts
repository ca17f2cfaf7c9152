import { z } from 'zod';
import { asciiUrl, type HttpTo, readWebUrl, URL_LENGTH, webUrl } from '../../src/kernel/wire/web-url';

const read = (text: string, http: HttpTo = 'loopback') => {
  const result = readWebUrl(text, http);
  return 'url' in result ? result.url.href : result;
};

it.each([
  ['https://shop.example/中文', 'https://shop.example/%E4%B8%AD%E6%96%87'],
  ['https://bücher.example/ä?q=ü#ß', 'https://xn--bcher-kva.example/%C3%A4?q=%C3%BC#%C3%9F'],
  ['https://shop.example/a b?c=d e', 'https://shop.example/a%20b?c=d%20e'],
  ['https://shop.example/%E4%B8%AD', 'https://shop.example/%E4%B8%AD'],
  ['https://shop.example/\u202etxt', 'https://shop.example/%E2%80%AEtxt'],
  ['HTTPS://SHOP.example:443/Back?x=1&y=%20', 'https://shop.example/Back?x=1&y=%20'],
  ['https://shop.example', 'https://shop.example/'],
  ['http://localhost:3000/', 'http://localhost:3000/'],
  ['http://shop.localhost/', 'http://shop.localhost/'],
  ['http://127.1/', 'http://127.0.0.1/'],
  ['http://[::1]:9/', 'http://[::1]:9/'],
])('%s is kept as %s', (text, href) => {
  expect(read(text)).toBe(href);
  expect(href).toMatch(/^[\x21-\x7e]+$/);
  expect(read(href)).toBe(href);
});

it.each([
  'shop.example',
  '//shop.example/',
  'https:shop.example',
  'https:/shop.example',
  'https:///shop.example',
  'https:\\\\shop.example',
  'https://shop.example\\@evil.example/',
  ' https://shop.example/',
  'https://shop.example/\n',
  'https://shop.example/\u00a0',
  'https://shop.example/\ta',
  'https://sh\nop.example/',
  'java\tscript:alert(1)',
  'https://shop.example/\u0000',
  'https://shop.example/\u0085',
  'https://shop.example/\ud800',
  'javascript:alert(1)',
  'ftp://shop.example/',
  'data:text/html,x',
  'http://shop.example/',
  'http://10.0.0.1/',
  'http://localhost.evil.example/',
  'https://user:secret@shop.example/',
  'https://user@shop.example/',
  'https://exa mple/',
  'https://[::1/',
  'https://',
  '',
])('%j is refused', (text) => {
  expect(read(text)).toEqual({ wrong: expect.stringMatching(/^must /) });
});

it('allows http to this machine only where configured, and leaves names to the resolver', () => {
  expect(read('http://localhost/', 'nowhere')).toEqual({ wrong: 'must be an https URL' });
  expect(read('http://shop.example/', 'resolved')).toBe('http://shop.example/');
});

it('counts the characters of the stored URL', () => {
  const long = (count: number, letter: string) => `https://shop.example/${letter.repeat(count)}`;
  const room = URL_LENGTH - 'https://shop.example/'.length;
  expect(read(long(room, 'a'))).toHaveLength(URL_LENGTH);
  for (const text of [long(room + 1, 'a'), long(room / 9 + 1, '中')])
    expect(read(text)).toEqual({ wrong: expect.stringContaining(`${URL_LENGTH}`) });
});

it('is parsed and described by the schema', () => {
  const schema = webUrl('nowhere', 'https://shop.example/back');
  expect(schema.parse('https://shop.example/é')).toBe('https://shop.example/%C3%A9');
  expect(schema.safeParse('http://localhost/').error?.issues).toMatchObject([
    { code: 'custom', message: 'must be an https URL' },
  ]);
  expect(z.toJSONSchema(schema, { io: 'input' })).toMatchObject({
    type: 'string',
    format: 'uri',
    maxLength: URL_LENGTH,
  });
});

it('normalises a URL that was stored unchanged', () => {
  expect(asciiUrl('https://shop.example/中文')).toBe('https://shop.example/%E4%B8%AD%E6%96%87');
});
