/** An answer of the API with all of its parts. */
export interface Answer<Body = unknown> {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  /** Parsed JSON, the bytes of any other type, undefined for an empty answer. */
  body: Body;
}
