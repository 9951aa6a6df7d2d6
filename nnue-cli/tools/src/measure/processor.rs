//! The processor that measurements are made on.

/// The name of the processor, as it says it itself, with the family and the model, because virtual
/// machines often name only the maker. Processors without such a name are named by their
/// architecture.
#[must_use]
pub fn processor() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        let cpuid = raw_cpuid::CpuId::new();
        let brand = cpuid.get_processor_brand_string();
        let name = brand.as_ref().map_or("", |brand| brand.as_str().trim());
        let name = if name.is_empty() { "x86_64" } else { name };
        match cpuid.get_feature_info() {
            Some(info) => format!(
                "{name} (family {}, model {})",
                info.family_id(),
                info.model_id()
            ),
            None => name.into(),
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::env::consts::ARCH.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_which_processor_it_is() {
        let name = processor();
        assert_eq!(name.trim(), name);
        let has_family = name.contains(" (family ") && name.ends_with(')');
        assert!(has_family || !cfg!(target_arch = "x86_64"), "{name}");
    }
}
