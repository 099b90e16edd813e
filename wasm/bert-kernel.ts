/**
 * The arithmetic of a BERT encoder with int8 weights, as WebAssembly SIMD. This file is AssemblyScript, compiled by
 * `scripts/build-kernel.mjs` into `src/models/local-embedder/kernel-binary.ts`; the forward pass that calls it is
 * `src/models/local-embedder/encoder.ts`.
 *
 * Every function works on rows [from, to) (one row = one token), so that threads can share a text.
 * No fused multiply-add and no other operation whose result depends on the processor: all machines give the same bits.
 */

const HIDDEN: i32 = 384;
const HEADS: i32 = 12;
const HEAD: i32 = 32;
const QKV: i32 = 3 * HIDDEN;

/**
 * Activations are quantised to 0..124. The dot instruction accepts 7 bits (0..127). The limit is 124, because `matmul` adds three
 * dot results, six products in all, in a 16-bit lane before widening. The largest sum of six such weights in the model is 264, and
 * 264 × 124 < 32768.
 */
const LEVELS: f32 = 124;

// @ts-ignore: decorator
@inline
function sumLanes(v: v128): f32 {
  return (f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1)) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

// @ts-ignore: decorator
@inline
function maxLanes(v: v128): f32 {
  return max(max(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)), max(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)));
}

/**
 * Writes the constants of `exponential` and `gelu` into memory. Loading a constant is one instruction, whereas V8 builds a SIMD
 * constant with three instructions at every use.
 */
export function writeConstants(at: usize): void {
  // e^x: 1 / ln 2, ln 2 in two parts, then the coefficients of Cephes' expf.
  store<f32>(at, 1.44269504088896, 0);
  store<f32>(at, 0.693359375, 4);
  store<f32>(at, -2.12194440e-4, 8);
  store<f32>(at, 1.9875691500e-4, 12);
  store<f32>(at, 1.3981999507e-3, 16);
  store<f32>(at, 8.3334519073e-3, 20);
  store<f32>(at, 4.1665795894e-2, 24);
  store<f32>(at, 1.6666665459e-1, 28);
  store<f32>(at, 5.0000001201e-1, 32);
  store<f32>(at, 1, 36);
  store<f32>(at, -87, 40);
  store<i32>(at, 127, 44);
  // 1 - erf(x/√2): Abramowitz and Stegun 7.1.28, each coefficient divided by its power of √2.
  store<f32>(at, <f32>(0.0705230784 / 1.4142135623730951), 48);
  store<f32>(at, <f32>(0.0422820123 / 2), 52);
  store<f32>(at, <f32>(0.0092705272 / 2.8284271247461903), 56);
  store<f32>(at, <f32>(0.0001520143 / 4), 60);
  store<f32>(at, <f32>(0.0002765672 / 5.656854249492381), 64);
  store<f32>(at, <f32>(0.0000430638 / 8), 68);
  store<f32>(at, 0.5, 72);
}

/** a · b + c, rounded twice like everywhere else. */
// @ts-ignore: decorator
@inline
function step(a: v128, b: v128, c: v128): v128 {
  return f32x4.add(f32x4.mul(a, b), c);
}

/** e^x for x <= 0: range reduction by powers of two, then a polynomial (relative error below 3e-7). */
// @ts-ignore: decorator
@inline
function exponential(value: v128, constants: usize): v128 {
  const one = v128.load32_splat(constants, 36);
  const x = f32x4.max(value, v128.load32_splat(constants, 40));
  const n = f32x4.nearest(f32x4.mul(x, v128.load32_splat(constants)));
  const coarse = f32x4.sub(x, f32x4.mul(n, v128.load32_splat(constants, 4)));
  const r = f32x4.sub(coarse, f32x4.mul(n, v128.load32_splat(constants, 8)));
  let p = step(v128.load32_splat(constants, 12), r, v128.load32_splat(constants, 16));
  p = step(p, r, v128.load32_splat(constants, 20));
  p = step(p, r, v128.load32_splat(constants, 24));
  p = step(p, r, v128.load32_splat(constants, 28));
  p = step(p, r, v128.load32_splat(constants, 32));
  p = f32x4.add(step(f32x4.mul(p, r), r, r), one);
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), v128.load32_splat(constants, 44)), 23);
  return f32x4.mul(p, power);
}

/** x · Φ(x) = max(x, 0) − |x| · (1 − erf(|x|/√2)) / 2, to an absolute error below 1e-6. */
// @ts-ignore: decorator
@inline
function gelu(x: v128, constants: usize): v128 {
  const size = f32x4.abs(x);
  let p = step(v128.load32_splat(constants, 68), size, v128.load32_splat(constants, 64));
  p = step(p, size, v128.load32_splat(constants, 60));
  p = step(p, size, v128.load32_splat(constants, 56));
  p = step(p, size, v128.load32_splat(constants, 52));
  p = step(p, size, v128.load32_splat(constants, 48));
  p = step(p, size, v128.load32_splat(constants, 36));
  p = f32x4.mul(p, p);
  p = f32x4.mul(p, p);
  p = f32x4.mul(p, p);
  p = f32x4.mul(p, p);
  const tail = f32x4.div(f32x4.mul(size, v128.load32_splat(constants, 72)), p);
  return f32x4.sub(f32x4.pmax(f32x4.splat(0), x), tail);
}

/** Turns a weight matrix [inputs][outputs] of the file into [outputs][inputs], and sums each output's weights. */
export function packWeights(source: usize, target: usize, sums: usize, inputs: i32, outputs: i32): void {
  for (let n: i32 = 0; n < outputs; n += 16) {
    for (let k: i32 = 0; k < inputs; k++) {
      for (let j: i32 = 0; j < 16; j++) {
        store<i8>(target + (n + j) * inputs + k, load<i8>(source + k * outputs + n + j));
      }
    }
    for (let j: i32 = 0; j < 16; j++) {
      let sum: i32 = 0;
      for (let k: i32 = 0; k < inputs; k++) sum += load<i8>(target + (n + j) * inputs + k);
      store<f32>(sums + (n + j) * 4, <f32>sum);
    }
  }
}

/** x = word embedding (uint8 around 128) × scale + position embedding. */
export function embed(ids: usize, words: usize, scale: f32, positions: usize, x: usize, from: i32, to: i32): void {
  const center = i32x4.splat(128);
  const factor = f32x4.splat(scale);
  for (let row: i32 = from; row < to; row++) {
    const word = words + load<i32>(ids + row * 4) * HIDDEN;
    const position = positions + row * HIDDEN * 4;
    const out = x + row * HIDDEN * 4;
    for (let i: i32 = 0; i < HIDDEN; i += 4) {
      const bytes = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(word + i)));
      const value = f32x4.mul(f32x4.convert_i32x4_s(i32x4.sub(bytes, center)), factor);
      v128.store(out + i * 4, f32x4.add(value, v128.load(position + i * 4)));
    }
  }
}

/** Layer normalisation of each row, in place. */
export function normalize(x: usize, gamma: usize, beta: usize, from: i32, to: i32): void {
  for (let row: i32 = from; row < to; row++) {
    const at = x + row * HIDDEN * 4;
    let total = f32x4.splat(0);
    for (let i: i32 = 0; i < HIDDEN * 4; i += 16) total = f32x4.add(total, v128.load(at + i));
    const mean = f32x4.splat(sumLanes(total) / <f32>HIDDEN);
    let squares = f32x4.splat(0);
    for (let i: i32 = 0; i < HIDDEN * 4; i += 16) {
      const d = f32x4.sub(v128.load(at + i), mean);
      squares = f32x4.add(squares, f32x4.mul(d, d));
    }
    const inverse = f32x4.splat(<f32>1 / sqrt<f32>(sumLanes(squares) / <f32>HIDDEN + <f32>1e-12));
    for (let i: i32 = 0; i < HIDDEN * 4; i += 16) {
      const unit = f32x4.mul(f32x4.sub(v128.load(at + i), mean), inverse);
      v128.store(at + i, f32x4.add(f32x4.mul(unit, v128.load(gamma + i)), v128.load(beta + i)));
    }
  }
}

/** Quantises each row on its own: q = round(x / scale) + zero, with `scale` and `zero` stored as a pair of floats. */
export function quantize(x: usize, width: i32, q: usize, ranges: usize, from: i32, to: i32): void {
  const ceiling = i8x16.splat(<i8>LEVELS);
  for (let row: i32 = from; row < to; row++) {
    const at = x + row * width * 4;
    const out = q + row * width;
    let low = f32x4.splat(0);
    let high = f32x4.splat(0);
    for (let i: i32 = 0; i < width * 4; i += 16) {
      const v = v128.load(at + i);
      low = f32x4.pmin(low, v);
      high = f32x4.pmax(high, v);
    }
    const bottom = -maxLanes(f32x4.neg(low));
    const range = maxLanes(high) - bottom;
    const scale: f32 = range > 0 ? range / LEVELS : 1;
    const zero = nearest<f32>(-bottom / scale);
    store<f32>(ranges + row * 8, scale);
    store<f32>(ranges + row * 8, zero, 4);
    const inverse = f32x4.splat(<f32>1 / scale);
    const shift = f32x4.splat(zero);
    for (let i: i32 = 0; i < width; i += 16) {
      const p = at + i * 4;
      const a = i32x4.trunc_sat_f32x4_s(f32x4.add(f32x4.nearest(f32x4.mul(v128.load(p), inverse)), shift));
      const b = i32x4.trunc_sat_f32x4_s(f32x4.add(f32x4.nearest(f32x4.mul(v128.load(p, 16), inverse)), shift));
      const c = i32x4.trunc_sat_f32x4_s(f32x4.add(f32x4.nearest(f32x4.mul(v128.load(p, 32), inverse)), shift));
      const d = i32x4.trunc_sat_f32x4_s(f32x4.add(f32x4.nearest(f32x4.mul(v128.load(p, 48), inverse)), shift));
      const bytes = i8x16.narrow_i16x8_u(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d));
      v128.store(out + i, i8x16.min_u(bytes, ceiling));
    }
  }
}

/** 48 products of one row and one output, pairwise summed to 4 integers. Exact: see LEVELS. */
// @ts-ignore: decorator
@inline
function dot48(w0: v128, w1: v128, w2: v128, q0: v128, q1: v128, q2: v128): v128 {
  const first = i16x8.relaxed_dot_i8x16_i7x16_s(w0, q0);
  const second = i16x8.add(first, i16x8.relaxed_dot_i8x16_i7x16_s(w1, q1));
  return i32x4.extadd_pairwise_i16x8_s(i16x8.add(second, i16x8.relaxed_dot_i8x16_i7x16_s(w2, q2)));
}

/**
 * out[row][n] = Σ q[row][k] · w[n][k] as int32, in tiles of 2 rows × 2 outputs: what 16 SIMD registers hold.
 * `from` and `to` must be even; `inputs` a multiple of 48.
 */
export function matmul(q: usize, w: usize, out: usize, inputs: i32, outputs: i32, from: i32, to: i32): void {
  for (let n: i32 = 0; n < outputs; n += 2) {
    const wn = w + n * inputs;
    for (let row: i32 = from; row < to; row += 2) {
      let qa = q + row * inputs;
      let qb = qa + inputs;
      let wa = wn;
      let wb = wn + inputs;
      const end = wb;
      let s00 = i32x4.splat(0);
      let s01 = i32x4.splat(0);
      let s10 = i32x4.splat(0);
      let s11 = i32x4.splat(0);
      do {
        const wa0 = v128.load(wa);
        const wa1 = v128.load(wa, 16);
        const wa2 = v128.load(wa, 32);
        const qa0 = v128.load(qa);
        const qa1 = v128.load(qa, 16);
        const qa2 = v128.load(qa, 32);
        s00 = i32x4.add(s00, dot48(wa0, wa1, wa2, qa0, qa1, qa2));
        const qb0 = v128.load(qb);
        const qb1 = v128.load(qb, 16);
        const qb2 = v128.load(qb, 32);
        s10 = i32x4.add(s10, dot48(wa0, wa1, wa2, qb0, qb1, qb2));
        const wb0 = v128.load(wb);
        const wb1 = v128.load(wb, 16);
        const wb2 = v128.load(wb, 32);
        s01 = i32x4.add(s01, dot48(wb0, wb1, wb2, qa0, qa1, qa2));
        s11 = i32x4.add(s11, dot48(wb0, wb1, wb2, qb0, qb1, qb2));
        wa += 48;
        wb += 48;
        qa += 48;
        qb += 48;
      } while (wa < end);
      const a = i32x4.add(i32x4.shuffle(s00, s01, 0, 4, 1, 5), i32x4.shuffle(s00, s01, 2, 6, 3, 7));
      const b = i32x4.add(i32x4.shuffle(s10, s11, 0, 4, 1, 5), i32x4.shuffle(s10, s11, 2, 6, 3, 7));
      const sums = i32x4.add(i64x2.shuffle(a, b, 0, 2), i64x2.shuffle(a, b, 1, 3));
      const target = out + (row * outputs + n) * 4;
      v128.store64_lane(target, sums, 0);
      v128.store64_lane(target + outputs * 4, sums, 1);
    }
  }
}

/** Four outputs of `matmul` back to real numbers: scale of the row × scale of the output × (sum − zero · Σw) + bias. */
// @ts-ignore: decorator
@inline
function real(sums: v128, column: i32, table: usize, outputs: i32, scale: v128, zero: v128): v128 {
  const at = table + column * 4;
  const weights = v128.load(at + outputs * 4);
  const centered = f32x4.sub(f32x4.convert_i32x4_s(sums), f32x4.mul(zero, weights));
  return f32x4.add(f32x4.mul(f32x4.mul(centered, scale), v128.load(at)), v128.load(at + outputs * 8));
}

/** The integers of `matmul` as real numbers. `table` holds, per output: scales, then sums of weights, then biases. */
export function dequantize(sums: usize, table: usize, outputs: i32, ranges: usize, out: usize, from: i32, to: i32): void {
  for (let row: i32 = from; row < to; row++) {
    const scale = v128.load32_splat(ranges + row * 8);
    const zero = v128.load32_splat(ranges + row * 8, 4);
    const base = row * outputs * 4;
    for (let i: i32 = 0; i < outputs; i += 4) {
      v128.store(out + base + i * 4, real(v128.load(sums + base + i * 4), i, table, outputs, scale, zero));
    }
  }
}

/** As `dequantize`, in place, followed by GELU. */
export function dequantizeGelu(sums: usize, table: usize, outputs: i32, ranges: usize, constants: usize, from: i32, to: i32): void {
  for (let row: i32 = from; row < to; row++) {
    const scale = v128.load32_splat(ranges + row * 8);
    const zero = v128.load32_splat(ranges + row * 8, 4);
    const base = sums + row * outputs * 4;
    for (let i: i32 = 0; i < outputs; i += 4) {
      v128.store(base + i * 4, gelu(real(v128.load(base + i * 4), i, table, outputs, scale, zero), constants));
    }
  }
}

/** x += the real numbers of `matmul` (the residual connection). */
export function dequantizeAdd(sums: usize, table: usize, ranges: usize, x: usize, from: i32, to: i32): void {
  for (let row: i32 = from; row < to; row++) {
    const scale = v128.load32_splat(ranges + row * 8);
    const zero = v128.load32_splat(ranges + row * 8, 4);
    const base = row * HIDDEN * 4;
    for (let i: i32 = 0; i < HIDDEN; i += 4) {
      const value = real(v128.load(sums + base + i * 4), i, table, HIDDEN, scale, zero);
      v128.store(x + base + i * 4, f32x4.add(v128.load(x + base + i * 4), value));
    }
  }
}

/** Copies the keys of the rows into keys[dimension][token], `stride` tokens wide, so that `attend` reads along tokens. */
export function transposeKeys(qkv: usize, keys: usize, stride: i32, from: i32, to: i32): void {
  for (let row: i32 = from; row < to; row++) {
    const source = qkv + (row * QKV + HIDDEN) * 4;
    for (let i: i32 = 0; i < HIDDEN; i++) {
      store<f32>(keys + (i * stride + row) * 4, load<f32>(source + i * 4));
    }
  }
}

/** Softmax over the first `tokens` of `stride` scores; what lies behind them becomes 0. */
// @ts-ignore: decorator
@inline
function softmax(scores: usize, tokens: i32, stride: i32, constants: usize): void {
  for (let i = tokens; i < stride; i++) store<f32>(scores + i * 4, -1e30);
  let high = f32x4.splat(-1e30);
  for (let i: i32 = 0; i < stride * 4; i += 16) high = f32x4.pmax(high, v128.load(scores + i));
  const top = f32x4.splat(maxLanes(high));
  let total = f32x4.splat(0);
  for (let i: i32 = 0; i < stride * 4; i += 16) {
    const e = exponential(f32x4.sub(v128.load(scores + i), top), constants);
    v128.store(scores + i, e);
    total = f32x4.add(total, e);
  }
  const inverse = f32x4.splat(<f32>1 / sumLanes(total));
  for (let i: i32 = 0; i < stride * 4; i += 16) v128.store(scores + i, f32x4.mul(v128.load(scores + i), inverse));
}

/** Scores of two rows against 8 tokens at a time. */
// @ts-ignore: decorator
@inline
function scorePair(query: usize, headKeys: usize, own: usize, stride: i32): void {
  for (let j: i32 = 0; j < stride; j += 8) {
    let a0 = f32x4.splat(0);
    let a1 = f32x4.splat(0);
    let b0 = f32x4.splat(0);
    let b1 = f32x4.splat(0);
    let key = headKeys + j * 4;
    for (let d: i32 = 0; d < HEAD * 4; d += 4) {
      const k0 = v128.load(key);
      const k1 = v128.load(key, 16);
      const a = v128.load32_splat(query + d);
      const b = v128.load32_splat(query + d, QKV * 4);
      a0 = step(a, k0, a0);
      a1 = step(a, k1, a1);
      b0 = step(b, k0, b0);
      b1 = step(b, k1, b1);
      key += stride * 4;
    }
    v128.store(own + j * 4, a0);
    v128.store(own + j * 4, a1, 16);
    v128.store(own + (stride + j) * 4, b0);
    v128.store(own + (stride + j) * 4, b1, 16);
  }
}

/** out = Σ weight of token · value of token, over the 32 dimensions of one head. */
// @ts-ignore: decorator
@inline
function mixValues(weights: usize, values: usize, tokens: i32, out: usize): void {
  let c0 = f32x4.splat(0);
  let c1 = f32x4.splat(0);
  let c2 = f32x4.splat(0);
  let c3 = f32x4.splat(0);
  let c4 = f32x4.splat(0);
  let c5 = f32x4.splat(0);
  let c6 = f32x4.splat(0);
  let c7 = f32x4.splat(0);
  for (let j: i32 = 0; j < tokens; j++) {
    const weight = v128.load32_splat(weights + j * 4);
    const value = values + j * QKV * 4;
    c0 = step(weight, v128.load(value), c0);
    c1 = step(weight, v128.load(value, 16), c1);
    c2 = step(weight, v128.load(value, 32), c2);
    c3 = step(weight, v128.load(value, 48), c3);
    c4 = step(weight, v128.load(value, 64), c4);
    c5 = step(weight, v128.load(value, 80), c5);
    c6 = step(weight, v128.load(value, 96), c6);
    c7 = step(weight, v128.load(value, 112), c7);
  }
  v128.store(out, c0);
  v128.store(out, c1, 16);
  v128.store(out, c2, 32);
  v128.store(out, c3, 48);
  v128.store(out, c4, 64);
  v128.store(out, c5, 80);
  v128.store(out, c6, 96);
  v128.store(out, c7, 112);
}

/**
 * Self-attention of the rows over all tokens. `stride` is the number of tokens rounded up to a multiple of 8; `from` and
 * `to` must be even.
 */
export function attend(
  qkv: usize, keys: usize, scores: usize, context: usize, constants: usize,
  tokens: i32, stride: i32, from: i32, to: i32,
): void {
  for (let head: i32 = 0; head < HEADS; head++) {
    const headKeys = keys + head * HEAD * stride * 4;
    const values = qkv + (2 * HIDDEN + head * HEAD) * 4;
    for (let row: i32 = from; row < to; row += 2) {
      const own = scores + row * stride * 4;
      scorePair(qkv + (row * QKV + head * HEAD) * 4, headKeys, own, stride);
      for (let r: i32 = 0; r < 2; r++) {
        const weights = own + r * stride * 4;
        softmax(weights, tokens, stride, constants);
        mixValues(weights, values, tokens, context + ((row + r) * HIDDEN + head * HEAD) * 4);
      }
    }
  }
}

/** out = the mean of all rows (not yet of unit length). */
export function pool(x: usize, out: usize, tokens: i32): void {
  const share = f32x4.splat(<f32>1 / <f32>tokens);
  for (let i: i32 = 0; i < HIDDEN * 4; i += 16) {
    let total = f32x4.splat(0);
    for (let row: i32 = 0; row < tokens; row++) total = f32x4.add(total, v128.load(x + row * HIDDEN * 4 + i));
    v128.store(out + i, f32x4.mul(total, share));
  }
}
