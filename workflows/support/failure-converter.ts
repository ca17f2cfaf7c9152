import { DefaultFailureConverter } from '@temporalio/common';

/** Moves messages and stack traces of failures into a payload, which the codec then encrypts like any other. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
