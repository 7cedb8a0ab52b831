;; Escapes UTF-8 for the inside of a JSON string, sixteen bytes at a time. Assembled by scripts/wasm.ts.
;;
;; Region:     0   escapes of ASCII characters: 128 times eight bytes, the escape first
;;          1024   lengths of the escapes: 128 bytes
;;          1536   hex digits of a byte: 256 times two characters
;; The 16 bytes after the text are overwritten, and 16 more are read.
;;
;; Validates with three look-ups for each pair of neighbouring bytes, and by the places where a third and a fourth byte
;; are required: John Keiser, Daniel Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte" (2021). Each bit
;; of a look-up is one kind of error: 01 too short 02 too long 04 overlong of 3 08 too large 10 surrogate 20 overlong of
;; 2 40 too large or overlong of 4 80 two continuations
(module
  (import "shared" "memory" (memory 1))
  (import "shared" "region" (global $region i32))

  ;; Returns where the result ends; 0 when the text is not valid UTF-8.
  (func (export "escape") (param $text i32) (param $bytes i32) (param $result i32) (result i32)
    (local $at i32) ;; address of the block
    (local $end i32) ;; end of the text
    (local $to i32)
    (local $in i32) ;; bytes of the block that have been written
    (local $escaped i32) ;; one bit per byte of the block: an escape begins here
    (local $left i32)
    (local $word i32)
    (local $byte i32)
    (local $point i32)
    (local $high i32)
    (local $low i32)
    (local $block v128)
    (local $before v128) ;; the block before
    (local $previous v128) ;; each byte's predecessor
    (local $second v128)
    (local $errors v128)
    (local.set $at (local.get $text))
    (local.set $to (local.get $result))
    (local.set $end (i32.add (local.get $text) (local.get $bytes)))
    ;; After the text: spaces, which end every character and are plain.
    (v128.store (local.get $end) (i8x16.splat (i32.const 0x20)))

    (block $done
      (loop $blocks
        (br_if $done (i32.gt_u (local.get $at) (local.get $end)))
        (local.set $block (v128.load (local.get $at)))

        (if (i8x16.bitmask (v128.or (local.get $block) (local.get $before)))
          (then
            (local.set $previous
              (i8x16.shuffle 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 (local.get $before) (local.get $block)))
            (local.set $second
              (v128.and
                (v128.and
                  (i8x16.swizzle
                    (v128.const i8x16 0x02 0x02 0x02 0x02 0x02 0x02 0x02 0x02 0x80 0x80 0x80 0x80 0x21 0x01 0x15 0x49)
                    (i8x16.shr_u (local.get $previous) (i32.const 4)))
                  (i8x16.swizzle
                    (v128.const i8x16 0xe7 0xa3 0x83 0x83 0x8b 0xcb 0xcb 0xcb 0xcb 0xcb 0xcb 0xcb 0xcb 0xdb 0xcb 0xcb)
                    (v128.and (local.get $previous) (i8x16.splat (i32.const 0x0f)))))
                (i8x16.swizzle
                  (v128.const i8x16 0x01 0x01 0x01 0x01 0x01 0x01 0x01 0x01 0xe6 0xae 0xba 0xba 0x01 0x01 0x01 0x01)
                  (i8x16.shr_u (local.get $block) (i32.const 4)))))
            ;; Two continuations in a row are valid, and required, only after the first byte of three or four.
            (local.set $errors
              (v128.or
                (local.get $errors)
                (v128.xor
                  (local.get $second)
                  (v128.and
                    (i8x16.splat (i32.const 0x80))
                    (v128.or
                      (i8x16.sub_sat_u
                        (i8x16.shuffle 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 (local.get $before) (local.get $block))
                        (i8x16.splat (i32.const 0x60)))
                      (i8x16.sub_sat_u
                        (i8x16.shuffle 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 (local.get $before) (local.get $block))
                        (i8x16.splat (i32.const 0x70))))))))))
        (local.set $before (local.get $block))

        ;; Controls, quotes, backslashes, and the first bytes of characters of four bytes.
        (local.set $escaped
          (i8x16.bitmask
            (v128.or
              (v128.or
                (i8x16.lt_u (local.get $block) (i8x16.splat (i32.const 0x20)))
                (i8x16.ge_u (local.get $block) (i8x16.splat (i32.const 0xf0))))
              (v128.or
                (i8x16.eq (local.get $block) (i8x16.splat (i32.const 0x22)))
                (i8x16.eq (local.get $block) (i8x16.splat (i32.const 0x5c)))))))

        (block $blockDone
          (loop $parts
            (v128.store (local.get $to) (v128.load (i32.add (local.get $at) (local.get $in))))
            (local.set $left (i32.shr_u (local.get $escaped) (local.get $in)))
            (if (i32.eqz (local.get $left))
              (then
                (local.set $to (i32.add (local.get $to) (i32.sub (i32.const 16) (local.get $in))))
                (local.set $in (i32.const 0))
                (br $blockDone)))
            (local.set $left (i32.ctz (local.get $left)))
            (local.set $to (i32.add (local.get $to) (local.get $left)))
            (local.set $in (i32.add (local.get $in) (local.get $left)))
            (local.set $word (i32.load (i32.add (local.get $at) (local.get $in))))
            (local.set $byte (i32.and (local.get $word) (i32.const 0xff)))
            (if (i32.lt_u (local.get $byte) (i32.const 0x80))
              (then
                (i64.store
                  (local.get $to)
                  (i64.load (i32.add (global.get $region) (i32.shl (local.get $byte) (i32.const 3)))))
                (local.set $to (i32.add (local.get $to) (i32.load8_u offset=1024 (i32.add (global.get $region) (local.get $byte)))))
                (local.set $in (i32.add (local.get $in) (i32.const 1))))
              (else
                (local.set $point
                  (i32.or
                    (i32.or
                      (i32.shl (i32.and (local.get $word) (i32.const 7)) (i32.const 18))
                      (i32.shl (i32.and (i32.shr_u (local.get $word) (i32.const 8)) (i32.const 63)) (i32.const 12)))
                    (i32.or
                      (i32.shl (i32.and (i32.shr_u (local.get $word) (i32.const 16)) (i32.const 63)) (i32.const 6))
                      (i32.and (i32.shr_u (local.get $word) (i32.const 24)) (i32.const 63)))))
                ;; The two surrogates. Invalid UTF-8 results in arbitrary values, but always of 16 bits.
                (local.set $high (i32.add (i32.const 0xd7c0) (i32.shr_u (local.get $point) (i32.const 10))))
                (local.set $low (i32.add (i32.const 0xdc00) (i32.and (local.get $point) (i32.const 0x3ff))))
                ;; \uHH HH\u LLLL
                (i32.store (local.get $to)
                  (i32.or (i32.const 0x755c) (i32.shl (call $hex (i32.shr_u (local.get $high) (i32.const 8))) (i32.const 16))))
                (i32.store offset=4 (local.get $to)
                  (i32.or (i32.const 0x755c0000) (call $hex (i32.and (local.get $high) (i32.const 0xff)))))
                (i32.store offset=8 (local.get $to)
                  (i32.or
                    (call $hex (i32.shr_u (local.get $low) (i32.const 8)))
                    (i32.shl (call $hex (i32.and (local.get $low) (i32.const 0xff))) (i32.const 16))))
                (local.set $to (i32.add (local.get $to) (i32.const 12)))
                (local.set $in (i32.add (local.get $in) (i32.const 4)))))
            (br_if $parts (i32.lt_u (local.get $in) (i32.const 16))))
          ;; The last character may end in the next block.
          (local.set $in (i32.sub (local.get $in) (i32.const 16))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $blocks)))

    (if (v128.any_true (local.get $errors)) (then (return (i32.const 0))))
    ;; Without the spaces after the text.
    (i32.sub (local.get $to) (i32.sub (local.get $at) (local.get $end))))

  (func $hex (param $byte i32) (result i32)
    (i32.load16_u offset=1536 (i32.add (global.get $region) (i32.shl (local.get $byte) (i32.const 1))))))
