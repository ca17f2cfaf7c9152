/** Accepted file types. */
export const FILE_TYPES = ['image/jpeg', 'image/png', 'application/pdf'] as const;
export type FileType = (typeof FILE_TYPES)[number];

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Every PNG begins with its 13-byte `IHDR` chunk. */
const PNG_HEADER = Buffer.concat([PNG_SIGNATURE, Buffer.from('\0\0\0\rIHDR', 'latin1')]);
/** Start of image, and the first byte of the next marker. */
const JPEG_HEADER = Buffer.from([0xff, 0xd8, 0xff]);
const PDF_HEADER = /^%PDF-[12]\.\d/;
/** The first bytes of a file by which its type is detected. */
export const FILE_HEADER_BYTES = PNG_HEADER.length + 1;

/**
 * Detects the file type from its bytes, never from its name or the sender's content type. The header must be at the
 * first byte. PDF readers also accept a later header, but such a file may be of another type as well. Three headers
 * need no library.
 * @returns undefined for other types and for truncated headers
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

/**
 * Whether the byte is a marker that may follow the start of image: from SOF0 (C0) on, except start and end of image.
 */
function isJpegMarker(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0xc0 && byte < 0xff && byte !== 0xd8 && byte !== 0xd9;
}

/** Bytes that can be read from their beginning more than once, such as for a second attempt. */
export interface Content {
  /** In bytes. */
  size: number;
  /** Reads all bytes, portion by portion. */
  read(): AsyncIterable<Buffer>;
}

/** An uploaded file with the type that was detected from its bytes. */
export interface UploadedFile extends Content {
  contentType: FileType;
  /** Of the bytes, in lower-case hexadecimal. */
  sha256: string;
}
