(module
  (memory (export "memory") 1)
  ;; scores[i] = query · vectors[i], for `count` vectors of `width` floats (a multiple of 16), all aligned to 16 bytes
  (func (export "scan") (param $query i32) (param $vectors i32) (param $count i32) (param $width i32) (param $scores i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $q i32) (local $end i32)
    (block $done
      (loop $vector
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $a (v128.const f32x4 0 0 0 0))
        (local.set $b (v128.const f32x4 0 0 0 0))
        (local.set $c (v128.const f32x4 0 0 0 0))
        (local.set $d (v128.const f32x4 0 0 0 0))
        (local.set $q (local.get $query))
        (local.set $end (i32.add (local.get $query) (i32.shl (local.get $width) (i32.const 2))))
        (loop $part
          (local.set $a (f32x4.add (local.get $a) (f32x4.mul (v128.load (local.get $q)) (v128.load (local.get $vectors)))))
          (local.set $b (f32x4.add (local.get $b) (f32x4.mul (v128.load offset=16 (local.get $q)) (v128.load offset=16 (local.get $vectors)))))
          (local.set $c (f32x4.add (local.get $c) (f32x4.mul (v128.load offset=32 (local.get $q)) (v128.load offset=32 (local.get $vectors)))))
          (local.set $d (f32x4.add (local.get $d) (f32x4.mul (v128.load offset=48 (local.get $q)) (v128.load offset=48 (local.get $vectors)))))
          (local.set $q (i32.add (local.get $q) (i32.const 64)))
          (local.set $vectors (i32.add (local.get $vectors) (i32.const 64)))
          (br_if $part (i32.lt_u (local.get $q) (local.get $end))))
        (local.set $a (f32x4.add (f32x4.add (local.get $a) (local.get $b)) (f32x4.add (local.get $c) (local.get $d))))
        (f32.store (local.get $scores)
          (f32.add
            (f32.add (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))
            (f32.add (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))
        (local.set $scores (i32.add (local.get $scores) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $vector)))))
