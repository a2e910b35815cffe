-- Every prompt block asks which facts contradict another and wait for a decision: there are few.
CREATE INDEX records_in_conflict ON records (partition, number) WHERE state = 'conflict';
