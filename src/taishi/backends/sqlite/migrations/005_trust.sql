-- How far to rely on a record and how often it was of use, for the order of what is recalled.
ALTER TABLE shelf ADD COLUMN trust REAL NOT NULL DEFAULT 1;
ALTER TABLE shelf ADD COLUMN uses INTEGER NOT NULL DEFAULT 0;
UPDATE shelf SET
  trust = trust((SELECT confidence FROM records r WHERE r.number = shelf.number),
                (SELECT data FROM records r WHERE r.number = shelf.number)),
  uses = uses((SELECT data FROM records r WHERE r.number = shelf.number))
WHERE number IN (SELECT number FROM records WHERE confidence != 1 OR data != '{}');
DELETE FROM packs;
