/** @returns the JavaScript of a TypeScript file (absolute path), which is kept for the next call */
export function compile(file: string): string;
