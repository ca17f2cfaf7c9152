/** The types of documents that are taken. */
export const FILE_TYPES = ['image/jpeg', 'image/png', 'application/pdf'] as const;
export type FileType = (typeof FILE_TYPES)[number];

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Each PNG goes on with its first chunk: 13 bytes of `IHDR`. */
const PNG_HEADER = Buffer.concat([PNG_SIGNATURE, Buffer.from('\0\0\0\rIHDR', 'latin1')]);
/** Start of image, and the first byte of the marker that must follow. */
const JPEG_HEADER = Buffer.from([0xff, 0xd8, 0xff]);
const PDF_HEADER = /^%PDF-[12]\.\d/;

/**
 * The type of a file by its own bytes; its name and what the sender calls it are not looked at. The header stands at the
 * very first byte: readers of PDF also take it later, and a file that is something else before is none of ours. Three
 * headers are less than a library that knows hundreds of types, some of which it guesses.
 * @returns nothing for every other type, and for a header that is cut off
 */
export function fileTypeOf(bytes: Buffer): FileType | undefined {
  if (startsWith(bytes, JPEG_HEADER) && isJpegMarker(bytes[3])) return 'image/jpeg';
  if (startsWith(bytes, PNG_HEADER)) return 'image/png';
  if (PDF_HEADER.test(bytes.toString('latin1', 0, 8))) return 'application/pdf';
  return undefined;
}

function startsWith(bytes: Buffer, header: Buffer): boolean {
  return bytes.length > header.length && bytes.subarray(0, header.length).equals(header);
}

/** Application data, quantization tables, frames, comments …: from SOF0 (C0) on, but no second start or end of image. */
function isJpegMarker(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0xc0 && byte < 0xff && byte !== 0xd8 && byte !== 0xd9;
}

/** A file as it came, whose type was read from its bytes. */
export interface UploadedFile {
  bytes: Buffer;
  contentType: FileType;
  /** Of the bytes, in lower-case hexadecimal. */
  sha256: string;
}
