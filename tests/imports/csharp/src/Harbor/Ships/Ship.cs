using System;
using System.Collections.Generic;
using Harbor.Cargo;
using Harbor.Common.Text;
using static Harbor.Ships.Tonnage;
using Load = Harbor.Cargo.Container<string>;
using Newtonsoft.Json;
// using Harbor.Hidden;

namespace Harbor.Ships
{
    /// <summary>Like a <see cref="Hidden"/>.</summary>
    [Registered]
    public class Ship : IVessel
    {
        private readonly List<Container<Load>> load = new();
        private string text = @"C:\ Hidden ""Dock";
        public string Name => text.Shorten(3);
        public Manifest Manifest() { Guard.NotNull(text); return new Manifest(); }
    }
}
