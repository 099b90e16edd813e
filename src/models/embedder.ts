/** Turns texts into vectors. */
export interface Embedder {
  /** Stored with every vector; changes whenever vectors would differ. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * One vector of unit length for each text, in their order.
   * Throws `embedder_unavailable`, `timed_out` or `cancelled`; `details.usage` says what was used before that.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Embedded>;
  close?(): Promise<void>;
}

export interface EmbedOptions {
  signal?: AbortSignal;
}

export interface Embedded {
  vectors: Float32Array[];
  /** What the provider counted, or an estimate; 0 for what came from a cache. */
  tokens: number;
}
