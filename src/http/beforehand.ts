/**
 * What is asked before the transaction of a request. That it was refused is thrown within the transaction, where the answer that is
 * stored under the request's key comes first: a repeat gets it, whatever has become of the chain.
 */
export const beforehand = async <T>(asked: Promise<T>): Promise<() => T> => {
  try {
    const answer = await asked;
    return () => answer;
  } catch (error) {
    return () => {
      throw error;
    };
  }
};
