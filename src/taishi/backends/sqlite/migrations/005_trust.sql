-- How far to rely on a record and how often it was of use, for the order of what is recalled.
ALTER TABLE shelf ADD COLUMN trust REAL NOT NULL DEFAULT 1;
ALTER TABLE shelf ADD COLUMN uses INTEGER NOT NULL DEFAULT 0;
UPDATE shelf SET trust = trust(r.kind, r.confidence, r.data), uses = uses(r.kind, r.data)
FROM records r WHERE r.number = shelf.number AND (r.confidence != 1 OR r.data != '{}');
DELETE FROM packs;
