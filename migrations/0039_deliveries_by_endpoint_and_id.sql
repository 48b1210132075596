-- Up Migration

-- Replaced by migration 38.
drop index deliveries_endpoint_id_id_idx, deliveries_endpoint_id_id_idx1;
