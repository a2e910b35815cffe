-- A vector is in one column, whole: its scale, the upper bytes of its numbers, the lower bytes.
UPDATE shelf SET code = planes((SELECT full FROM vectors v WHERE v.number = shelf.number))
WHERE model != 0;
UPDATE shelf SET model = 0 WHERE code IS NULL AND model != 0;
DROP TABLE vectors;
DELETE FROM packs;
