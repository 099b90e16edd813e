/** A typed array that can be appended to. */
export interface GrowingArray<Numbers extends Int32Array | Float32Array | Float64Array | Uint8Array> {
  push(value: number): void;
  set(index: number, value: number): void;
  at(index: number): number;
  readonly length: number;
  /** What is in it: a view that is good until the next push. */
  readonly values: Numbers;
}

/** Makes an empty array. Its room doubles when it is full. */
export function growingArray<Numbers extends Int32Array | Float32Array | Float64Array | Uint8Array>(
  make: new (length: number) => Numbers,
): GrowingArray<Numbers> {
  let room = new make(64);
  let length = 0;
  return {
    push(value) {
      if (length === room.length) {
        const larger = new make(room.length * 2);
        larger.set(room);
        room = larger;
      }
      room[length] = value;
      length += 1;
    },
    set: (index, value) => {
      room[index] = value;
    },
    at: (index) => room[index] as number,
    get length() {
      return length;
    },
    get values() {
      return room.subarray(0, length) as Numbers;
    },
  };
}
