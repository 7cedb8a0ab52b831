;; Finds repetitions within a text: the search of LZ4, comparing sixteen bytes at a time. Assembled by scripts/wasm.ts.
;;
;; Region:    0   positions of the last four bytes with each hash: 2,048 times four bytes
;;         8192   bytes of all texts so far, plus one: no position is 0, the content of an empty table
;; Up to 16 bytes after the text are read.
;;
;; A position counts the bytes of all texts so far. Those of earlier texts are less than the first of this one, so the
;; table need not be cleared between texts.
(module
  (import "shared" "memory" (memory 1))
  (import "shared" "region" (global $region i32))
  ;; A shorter match costs about as much time as copying its bytes.
  (global $lengthMin i32 (i32.const 16))
  ;; A block ends with at least so many literals.
  (global $tail i32 (i32.const 5))
  ;; After so many bytes the search stops when less than half of them are matches.
  (global $probe i32 (i32.const 1024))

  ;; Writes three numbers for each match (place in the text, length, distance); returns the address after them.
  (func (export "find") (param $text i32) (param $bytes i32) (param $result i32) (result i32)
    (local $before i32)
    (local $at i32)
    (local $searchEnd i32)
    (local $matchEnd i32) ;; no match ends after it
    (local $base i32) ;; an address plus this is a position
    (local $slot i32) ;; address in the table
    (local $table i32)
    (local $earlier i32)
    (local $from i32)
    (local $to i32)
    (local $length i32)
    (local $equal i32)
    (local $saved i32)
    (local $misses i32)
    (local.set $table (global.get $region))
    (local.set $before (i32.load offset=8192 (local.get $table)))
    (if (i32.or (i32.eqz (local.get $before)) (i32.gt_u (local.get $before) (i32.const 0x40000000)))
      (then
        (memory.fill (local.get $table) (i32.const 0) (i32.const 8192))
        (local.set $before (i32.const 1))))
    (local.set $base (i32.sub (local.get $before) (local.get $text)))
    (i32.store offset=8192 (local.get $table) (i32.add (local.get $before) (local.get $bytes)))
    (local.set $at (local.get $text))
    (local.set $matchEnd (i32.sub (i32.add (local.get $text) (local.get $bytes)) (global.get $tail)))
    (local.set $searchEnd (i32.sub (local.get $matchEnd) (global.get $lengthMin)))

    (block $done
      (loop $search
        (br_if $done (i32.ge_s (local.get $at) (local.get $searchEnd)))
        (local.set $slot
          (i32.add
            (local.get $table)
            (i32.shl
              (i32.shr_u (i32.mul (i32.load (local.get $at)) (i32.const 0x9e3779b1)) (i32.const 21))
              (i32.const 2))))
        (local.set $earlier (i32.sub (i32.load (local.get $slot)) (local.get $base)))
        (i32.store (local.get $slot) (i32.add (local.get $at) (local.get $base)))

        (local.set $length (i32.const 0))
        (if (i32.ge_s (local.get $earlier) (local.get $text))
          (then
            (local.set $from (local.get $earlier))
            (local.set $to (local.get $at))
            (block $differs
              (loop $compare
                (local.set $equal
                  (i8x16.bitmask (i8x16.eq (v128.load (local.get $from)) (v128.load (local.get $to)))))
                (if (i32.ne (local.get $equal) (i32.const 0xffff))
                  (then
                    (local.set $to (i32.add (local.get $to) (i32.ctz (i32.xor (local.get $equal) (i32.const 0xffff)))))
                    (br $differs)))
                (local.set $from (i32.add (local.get $from) (i32.const 16)))
                (local.set $to (i32.add (local.get $to) (i32.const 16)))
                (br_if $compare (i32.lt_u (local.get $to) (local.get $matchEnd)))))
            (if (i32.gt_u (local.get $to) (local.get $matchEnd))
              (then (local.set $to (local.get $matchEnd))))
            (local.set $length (i32.sub (local.get $to) (local.get $at)))))

        (if (i32.lt_u (local.get $length) (global.get $lengthMin))
          (then
            ;; The steps grow with the number of misses in a row.
            (local.set $at
              (i32.add (local.get $at) (i32.add (i32.const 1) (i32.shr_u (local.get $misses) (i32.const 4)))))
            (local.set $misses (i32.add (local.get $misses) (i32.const 1)))
            (br_if $done
              (i32.and
                (i32.gt_u (i32.sub (local.get $at) (local.get $text)) (global.get $probe))
                (i32.lt_u
                  (i32.shl (local.get $saved) (i32.const 1))
                  (i32.sub (local.get $at) (local.get $text)))))
            (br $search)))

        (i32.store (local.get $result) (i32.sub (local.get $at) (local.get $text)))
        (i32.store offset=4 (local.get $result) (local.get $length))
        (i32.store offset=8 (local.get $result) (i32.sub (local.get $at) (local.get $earlier)))
        (local.set $result (i32.add (local.get $result) (i32.const 12)))
        (local.set $at (i32.add (local.get $at) (local.get $length)))
        (local.set $saved (i32.add (local.get $saved) (local.get $length)))
        (local.set $misses (i32.const 0))
        (br $search)))
    (local.get $result)))
