import fc from 'fast-check';
import { FILE_TYPES, fileTypeOf } from '../../src/kernel/wire/file-type';
import { jpeg, pdf, png } from '../support/uploads';

const GIF = Buffer.from('GIF89a');
const ZIP = Buffer.from('PK\x03\x04');
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

it.each([
  ['a JFIF photo', jpeg(), 'image/jpeg'],
  ['an Exif photo', hex('ffd8 ffe1 0018 4578 6966 0000'), 'image/jpeg'],
  ['a JPEG that begins with its tables', hex('ffd8 ffdb 0043 00'), 'image/jpeg'],
  ['a PNG', png('\0\0'), 'image/png'],
  ['a PDF of 1.4', Buffer.from('%PDF-1.4\n'), 'application/pdf'],
  ['a PDF of 2.0', Buffer.from('%PDF-2.0\r\n'), 'application/pdf'],
  ['a PDF that is a ZIP behind', Buffer.concat([pdf(), ZIP]), 'application/pdf'],
  ['a JPEG that is a page behind', jpeg('<script>alert(1)</script>'), 'image/jpeg'],
])('%s is detected', (_name, bytes, type) => {
  expect(fileTypeOf(bytes)).toBe(type);
});

it.each([
  ['nothing', Buffer.alloc(0)],
  ['a GIF', GIF],
  ['a GIF that is a PDF behind', Buffer.concat([GIF, pdf()])],
  ['a page that is a PDF behind', Buffer.from('<html>%PDF-1.7')],
  ['a PDF with a blank before it', Buffer.from(' %PDF-1.7')],
  ['a PDF with a byte order mark', Buffer.from('\ufeff%PDF-1.7')],
  ['a PDF of no version', Buffer.from('%PDF-x.y')],
  ['a PDF whose header is cut off', Buffer.from('%PDF-1.')],
  ['a PNG whose header is cut off', png().subarray(0, 15)],
  ['a PNG signature without a header', hex('89504e470d0a1a0a 0000000d 49444154 00')],
  ['a JPEG whose header is cut off', hex('ffd8ff')],
  ['a JPEG that ends where it begins', hex('ffd8ffd9')],
  ['a JPEG that begins twice', hex('ffd8ffd8 ffe0')],
  ['a HEIC', hex('00000018 66747970 68656963')],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['a WebP', Buffer.from('RIFF\0\0\0\0WEBP')],
  ['a PDF in UTF-16', Buffer.from('%PDF-1.7', 'utf16le')],
])('%s is not detected', (_name, bytes) => {
  expect(fileTypeOf(bytes)).toBeUndefined();
});

it('looks at the first bytes only', () => {
  fc.assert(
    fc.property(fc.constantFrom(jpeg(), png(), pdf()), fc.uint8Array({ maxLength: 200 }), (header, more) => {
      const type = fileTypeOf(Buffer.concat([header, Buffer.from('x'), more]));
      expect(FILE_TYPES).toContain(type);
      expect(fileTypeOf(Buffer.concat([Buffer.from('x'), header, more]))).toBeUndefined();
    }),
  );
});
